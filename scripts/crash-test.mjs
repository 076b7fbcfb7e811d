/*
 * Kills real runs at random points and looks for what was lost, done twice or left behind:
 * node scripts/crash-test.mjs [--kills N] [--seed N] [--injuries LIST] [--quiet]
 * LIST, with commas, is what is done to them instead: killed, git-killed (some of the gits that they start), database-held (by
 * another program), disk-full (a disk of its own, Linux), suspended (past their lease, and continued); or `all`.
 * Ends with 0 only where nothing was. The same seed chooses the same points.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crashTest } from '../src/main/hosts/cli/testing/crash/crash-test.ts';
import { INJURIES } from '../src/main/hosts/cli/testing/crash/injuries.ts';
import { onSmallDisk } from '../src/main/testing/small-disk.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    injuries: { type: 'string', default: 'killed' },
    quiet: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const injuries = values.injuries === 'all' ? INJURIES : values.injuries.split(',');
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('--kills takes a whole number from 1, --seed a whole number');
  process.exit(2);
}
const unknown = injuries.find((injury) => !INJURIES.includes(injury));
if (unknown !== undefined) {
  console.error(`--injuries takes ${INJURIES.join(', ')} or all, not ${unknown}`);
  process.exit(2);
}

// Only a disk of its own is filled.
const SMALL_DISK = 'HEADWAY_CRASH_TEST_DISK';
if (injuries.includes('disk-full') && process.env[SMALL_DISK] === undefined) {
  const disk = mkdtempSync(join(tmpdir(), 'headway-disk-'));
  const [file, ...args] = onSmallDisk(disk, { megabytes: 96 }, [process.execPath, ...process.argv.slice(1)]);
  const env = { ...process.env, TMPDIR: disk, [SMALL_DISK]: disk };
  const { status } = spawnSync(file, args, { stdio: 'inherit', env });
  rmSync(disk, { recursive: true });
  process.exit(status ?? 1);
}

const result = await crashTest({
  kills,
  seed,
  injuries,
  onFault: ({ kind, what }) => console.error(`${kind}: ${what}`),
  onRound: (said) => values.quiet || console.log(said),
});
const count = (kind) => result.faults.filter((fault) => fault.kind === kind).length;
const places = Object.entries(result.killedAt).sort(([, a], [, b]) => b - a);
console.log(`${values.injuries} after: ${places.map(([where, times]) => `${where} ${times}`).join(', ')}`);
console.log(
  `kills ${result.kills}, lost ${count('lost')}, twice ${count('twice')}, left behind ${count('left behind')}`,
);
process.exitCode = result.faults.length === 0 ? 0 : 1;
