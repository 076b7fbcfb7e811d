import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handWrittenLoop } from './store/hand-written-loop.ts';
import { headwayLoop } from './store/headway-loop.ts';
import { type Bench, measureRate, type Peer } from './store/measure.ts';
import { plainjobLoop } from './store/plainjob-loop.ts';
import { median, verdict } from './support/figures.ts';

/**
 * Claim and complete of jobs, every commit synced to the disk. Headway's path is the whole one: a lease, the attempt's row,
 * a sequence number for watchers, an effect written before and settled after, and the guard against what other processes
 * started. Beside it, in the same run and sync mode: a bare loop over one table, and plainjob. Slices of all of them take
 * turns, because a disk that others use is not the same from one second to the next; figures are medians over the slices.
 */
const SLICES = 41;
const JOBS_A_SLICE = 48;
const SHALLOW = 2_000;
const DEEP = 20_000;
/** As many attempts as a busy desktop runs: their changes may share a sync, as they do there. */
const AT_ONCE = 8;

type Entry = { name: string; peer: Peer; queued: number; atOnce: number };
const ENTRIES = {
  floor: { name: 'bare loop, one at a time', peer: handWrittenLoop, queued: SHALLOW, atOnce: 1 },
  plainjob: { name: 'plainjob, one at a time', peer: plainjobLoop, queued: SHALLOW, atOnce: 1 },
  single: { name: 'Headway, one at a time', peer: headwayLoop, queued: SHALLOW, atOnce: 1 },
  shallow: { name: `Headway, ${AT_ONCE} at once`, peer: headwayLoop, queued: SHALLOW, atOnce: AT_ONCE },
  deep: { name: `Headway, ${AT_ONCE} at once`, peer: headwayLoop, queued: DEEP, atOnce: AT_ONCE },
} satisfies Record<string, Entry>;
type Key = keyof typeof ENTRIES;
const KEYS = Object.keys(ENTRIES) as Key[];

type Slice = Record<Key, number>;

async function measure(benches: Record<Key, Bench>): Promise<{ slices: Slice[]; twice: number }> {
  const seen = Object.fromEntries(KEYS.map((key) => [key, new Set<string>()])) as Record<Key, Set<string>>;
  const slices: Slice[] = [];
  let twice = 0;
  for (let index = 0; index < SLICES; index += 1) {
    const slice = {} as Slice;
    for (const key of index % 2 === 0 ? KEYS : KEYS.toReversed()) {
      const { atOnce } = ENTRIES[key];
      const result = await measureRate(benches[key], { count: JOBS_A_SLICE, atOnce, seen: seen[key] });
      slice[key] = result.perSecond;
      twice += result.handedOutTwice;
    }
    slices.push(slice);
  }
  return { slices: slices.slice(1), twice }; // the first one also compiles
}

async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'headway-bench-store-'));
  const benches = {} as Record<Key, Bench>;
  try {
    for (const key of KEYS) {
      const { peer, queued } = ENTRIES[key];
      benches[key] = await peer(join(dir, `${key}.db`), queued);
    }
    report(await measure(benches));
  } finally {
    for (const bench of Object.values(benches)) await bench.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

function report({ slices, twice }: { slices: Slice[]; twice: number }): void {
  console.log(`claim and complete a second, synchronous=FULL; median of ${slices.length} slices (range)`);
  for (const key of KEYS) {
    const rates = slices.map((slice) => slice[key]);
    const range = `${Math.round(Math.min(...rates))}..${Math.round(Math.max(...rates))}`;
    const { name, queued } = ENTRIES[key];
    console.log(
      `${name.padEnd(26)}${String(queued).padStart(6)} queued ${String(Math.round(median(rates))).padStart(7)}  (${range})`,
    );
  }
  const rate = (key: Key): number => median(slices.map((slice) => slice[key]));
  const ratio = (a: Key, b: Key): number => rate(a) / rate(b);
  const peer = ratio('shallow', 'plainjob');
  const depth = ratio('deep', 'shallow');
  verdict(`at least plainjob's rate: ${peer.toFixed(2)} x`, peer >= 1);
  verdict(`${DEEP} queued at least 0.9 x the rate of ${SHALLOW}: ${depth.toFixed(2)} x`, depth >= 0.9);
  verdict(`no job handed out twice: ${twice}`, twice === 0);
}

await run();
