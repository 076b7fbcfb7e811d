// Tries to get past the gate without having anything checked: node scripts/fake-greens.mjs [WORD]
// Prints a line for each case that got through, and `tried N, through N`; exits 0 only at 0 through.
import { FAKE_GREENS, REAL_GREENS } from '../src/main/gate/testing/fake-greens.ts';
import { tryAll } from '../src/main/gate/testing/try-greens.ts';

const word = process.argv[2];
const chosen = (cases) => cases.filter(({ name }) => word === undefined || name.includes(word));
const fakes = chosen(FAKE_GREENS);

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

console.log(`tried ${fakes.length}, through ${through}`);
process.exitCode = through === 0 && refused === 0 && fakes.length > 0 ? 0 : 1;
