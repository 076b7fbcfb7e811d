/*
 * Kills real runs at random points and looks for what was lost, done twice or left behind:
 * node scripts/crash-test.mjs [--kills N] [--seed N] [--quiet]
 * Ends with 0 only where nothing was. The same seed chooses the same points.
 */
import { parseArgs } from 'node:util';
import { crashTest } from '../src/main/hosts/cli/testing/crash/crash-test.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    quiet: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('--kills takes a whole number from 1, --seed a whole number');
  process.exit(2);
}

const result = await crashTest({
  kills,
  seed,
  onFault: ({ kind, what }) => console.error(`${kind}: ${what}`),
  onRound: (said) => values.quiet || console.log(said),
});
const count = (kind) => result.faults.filter((fault) => fault.kind === kind).length;
const places = Object.entries(result.killedAt).sort(([, a], [, b]) => b - a);
console.log(`killed after: ${places.map(([where, times]) => `${where} ${times}`).join(', ')}`);
console.log(
  `kills ${result.kills}, lost ${count('lost')}, twice ${count('twice')}, left behind ${count('left behind')}`,
);
process.exitCode = result.faults.length === 0 ? 0 : 1;
