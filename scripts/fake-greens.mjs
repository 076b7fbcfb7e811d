// Tries to get past the gate without having anything checked: node scripts/fake-greens.mjs [WORD]
// Prints a line for each case that got through, and `tried N, through N`; exits 0 only at 0 through.
import { FAKE_GREENS, REAL_GREENS } from '../src/main/gate/testing/fake-greens.ts';
import { tryAll } from '../src/main/gate/testing/try-greens.ts';
import { RUNNING_GREENS, RUNNING_REALS } from '../src/main/hosts/cli/testing/running-greens.ts';
import { tryRunning } from '../src/main/hosts/cli/testing/try-running-greens.ts';
import { ensureBuild } from './ensure-build.mjs';

const word = process.argv[2];
const chosen = (cases) => cases.filter(({ name }) => word === undefined || name.includes(word));
const fakes = chosen(FAKE_GREENS);
const running = chosen(RUNNING_GREENS);
const tried = fakes.length + running.length;

let through = 0;
await tryAll(fakes, ({ name }, { verdict, reason }) => {
  if (verdict === 'green') through += 1;
  if (verdict === 'green') console.log(`THROUGH  ${name}: ${reason}`);
  else console.log(`${verdict.padEnd(8)} ${name}: ${reason}`);
});

let refused = 0;
await tryAll(chosen(REAL_GREENS), ({ name }, { verdict, reason }) => {
  if (verdict === 'green') return;
  refused += 1;
  console.log(`REFUSED  ${name} is sound, but is called ${verdict}: ${reason}`);
});

// The whole way, by the built program: agent, gate, merge.
await ensureBuild();
await tryRunning([...running, ...chosen(RUNNING_REALS)], ({ name, sound }, { merged, verdict, reason }) => {
  if (merged && !sound) through += 1;
  if (!merged && sound) refused += 1;
  if (sound) {
    if (!merged) console.log(`REFUSED  ${name} is sound, but is called ${verdict}: ${reason}`);
  } else console.log(`${merged ? 'THROUGH ' : verdict.padEnd(8)} ${name}: ${reason}`);
});

console.log(`tried ${tried}, through ${through}`);
process.exitCode = through === 0 && refused === 0 && tried > 0 ? 0 : 1;
