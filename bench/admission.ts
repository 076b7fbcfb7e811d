import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { type Admission, type AdmissionEntry, createAdmission } from '../src/main/scheduling/admission.ts';
import { toClaim } from '../src/main/scheduling/claims.ts';

/**
 * How long admission takes to judge a queue, and to judge again after one job ended, with naive pairwise comparison
 * beside it in the same run. Sparse load: five paths per job (70 % file, 25 % folder, 5 % package) over 2,000 packages,
 * 16 jobs running, 8 places free; waiting jobs keep their place. Over the same packages a queue of ten times the length is
 * also ten times as crowded: each job has ten times as many others to conflict with. So the growth with length alone is
 * told by a queue that is as crowded, over ten times as many packages.
 */

const SIZES = [
  { queued: 100, packages: 2_000, naive: true },
  { queued: 1_000, packages: 2_000, naive: true },
  { queued: 10_000, packages: 2_000, naive: true },
  { queued: 10_000, packages: 20_000, naive: false },
] as const;
const RUNNING = 16;
const FREE = 8;
const TARGETS = { timesNaive: 100, growth: 12, readmissionShare: 1 / 20 };
/** Loads measured, the first of them for warming up. */
const SETS = 4;

/** A small generator with a seed (mulberry32): every run judges the same queue. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

function createEntries({ queued, packages }: Size): AdmissionEntry[] {
  const random = createRandom(queued);
  const path = (): string => {
    const pack = `packages/p${random(packages)}`;
    const kind = random(100);
    if (kind < 5) return pack;
    const folder = `${pack}/src/d${random(12)}`;
    return kind < 30 ? folder : `${folder}/f${random(40)}.ts`;
  };
  return Array.from({ length: queued + RUNNING }, (_, order) => ({
    id: `job-${order}`,
    ticketId: `T-${order}`,
    repoId: 'repository',
    claim: toClaim([path(), path(), path(), path(), path()], { root: '/repository', from: 'declared' }),
    priority: 'batch' as const,
    order,
    dependsOn: [],
    related: [],
    state: 'queued' as const,
    queuedAt: 0,
  }));
}

/** The least disturbed round: a longer pass is interrupted more often on a busy machine, so a median would tell of that. */
const best = (values: readonly number[]): number => Math.min(...values);

const other = new Float64Array(8 * 1024 * 1024);

/**
 * Work that has nothing to do with admission, over more memory than the processor keeps near. An engine does a lot
 * between two passes; without this a small queue would be measured from the caches alone and a large one not.
 */
function doOtherWork(): void {
  for (let i = 0; i < other.length; i += 4) other[i] = (other[i] ?? 0) + i;
}

function timed(work: () => void): number {
  doOtherWork();
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** The running jobs must not conflict with each other: the first 16 that fit. */
function withRunning(entries: AdmissionEntry[]): AdmissionEntry[] {
  const first = createAdmission({ caps: { machine: RUNNING, repository: RUNNING } });
  for (const entry of entries) first.add(entry);
  const running = new Set(first.pass(0).start);
  return entries.map((entry) => (running.has(entry.id) ? { ...entry, state: 'running' } : entry));
}

const CAPS = { machine: RUNNING + FREE, repository: RUNNING + FREE };

/** Both end in a slash, so that a prefix is an ancestor or the same. */
function overlaps(a: readonly string[], b: readonly string[]): boolean {
  for (const x of a) for (const y of b) if (x.startsWith(y) || y.startsWith(x)) return true;
  return false;
}

/** Every queued job against every running one and every waiting one ahead of it; paths are normalised beforehand. */
function naivePass(
  entries: readonly AdmissionEntry[],
  paths: ReadonlyMap<AdmissionEntry, string[]>,
): string[] {
  const pathsOf = (entry: AdmissionEntry): string[] => paths.get(entry) ?? [];
  const active = entries.filter((entry) => entry.state === 'running').map(pathsOf);
  let running = active.length;
  const start: string[] = [];
  for (const entry of entries) {
    if (entry.state !== 'queued') continue;
    const mine = pathsOf(entry);
    const conflicts = active.some((theirs) => overlaps(mine, theirs));
    if (!conflicts && running < CAPS.machine) {
      start.push(entry.id);
      running += 1;
    }
    active.push(mine);
  }
  return start;
}

type Size = { queued: number; packages: number; naive: boolean };
type Load = {
  size: Size;
  entries: AdmissionEntry[];
  admission: Admission;
  fullMs: number[];
  againMs: number[];
};
type Row = { size: Size; fullMs: number; againMs: number; naiveMs: number };

function load(size: Size): Load {
  const entries = withRunning(createEntries(size));
  const admission = createAdmission({ caps: CAPS });
  for (const entry of entries) admission.add(entry);
  return { size, entries, admission, fullMs: [], againMs: [] };
}

/** One full pass as a long-lived engine does it (nothing is loaded anew), then the end of one running job. */
function round({ admission, entries, fullMs, againMs }: Load, at: number): void {
  fullMs.push(timed(() => admission.pass(0)));
  const ending = entries.filter((entry) => entry.state === 'running')[at % RUNNING];
  if (!ending) throw new Error('no running job to end');
  let isFull = false;
  againMs.push(
    timed(() => {
      isFull = admission.end(ending.id, 'merged', 0).full;
    }),
  );
  if (isFull) throw new Error('a re-admission judged the whole queue');
}

/** Naive time, after a check that both start the same jobs. */
function measureNaive(entries: readonly AdmissionEntry[]): number {
  const admission = createAdmission({ caps: CAPS });
  for (const entry of entries) admission.add(entry);
  const start = admission.pass(0).start;
  const paths = new Map(
    entries.map((entry) => [
      entry,
      entry.claim.kind === 'paths' ? entry.claim.paths.map((path) => `${path}/`) : [],
    ]),
  );
  const times: number[] = [];
  for (let i = 0; i < (entries.length > 2_000 ? 1 : 3); i += 1) {
    let naive: string[] = [];
    times.push(
      timed(() => {
        naive = naivePass(entries, paths);
      }),
    );
    if (naive.join() !== start.join())
      throw new Error(`naive and tree start different jobs of ${entries.length}`);
  }
  return best(times);
}

function measure(): Row[] {
  const rows = new Map<Size, { fullMs: number[]; againMs: number[]; entries: AdmissionEntry[] }>();
  for (let set = 0; set < SETS; set += 1) {
    const loads = SIZES.map(load);
    for (const each of loads) each.admission.pass(0);
    // Sizes take turns, so that what else the machine does meets all of them.
    for (let at = 0; at < RUNNING; at += 1) for (const each of loads) round(each, at);
    if (set === 0) continue; // warms the compiler up
    for (const { size, entries, fullMs, againMs } of loads) {
      const row = rows.get(size) ?? { fullMs: [], againMs: [], entries };
      row.fullMs.push(...fullMs);
      row.againMs.push(...againMs);
      rows.set(size, row);
    }
  }
  return [...rows].map(([size, { fullMs, againMs, entries }]) => ({
    size,
    fullMs: best(fullMs),
    againMs: best(againMs),
    naiveMs: size.naive ? measureNaive(entries) : Number.NaN,
  }));
}

function report(what: string, value: string, met: boolean): boolean {
  console.log(`target ${what}: ${value} ${met ? 'met' : 'MISSED'}`);
  return met;
}

/** Prints the table and the targets; sets exit code 1 when one is missed. */
export async function run(): Promise<void> {
  const rows = measure();
  console.log(
    'queued  packages  full pass ms  re-admission ms   naive ms  naive ÷ full  re-admission ÷ full',
  );
  for (const { size, fullMs, againMs, naiveMs } of rows) {
    console.log(
      [
        String(size.queued).padStart(6),
        String(size.packages).padStart(9),
        fullMs.toFixed(3).padStart(13),
        againMs.toFixed(4).padStart(16),
        naiveMs.toFixed(1).padStart(10),
        (naiveMs / fullMs).toFixed(0).padStart(13),
        (againMs / fullMs).toFixed(4).padStart(20),
      ].join(' '),
    );
  }
  const [, thousand, tenThousand, asCrowded] = rows as [Row, Row, Row, Row];
  const times = thousand.naiveMs / thousand.fullMs;
  const growth = asCrowded.fullMs / thousand.fullMs;
  const share = tenThousand.againMs / tenThousand.fullMs;
  const met = [
    report(
      'faster than naive at 1,000 (at least 100 times)',
      `${times.toFixed(0)} times`,
      times >= TARGETS.timesNaive,
    ),
    report(
      'growth from 1,000 to 10,000, as crowded (at most 12 times)',
      `${growth.toFixed(1)} times`,
      growth <= TARGETS.growth,
    ),
    report(
      're-admission at 10,000 (at most 1/20 of a full pass)',
      `1/${(1 / share).toFixed(0)}`,
      share <= TARGETS.readmissionShare,
    ),
  ];
  const crowded = (tenThousand.fullMs / thousand.fullMs).toFixed(1);
  console.log(`growth from 1,000 to 10,000 over the same packages, ten times as crowded: ${crowded} times`);
  if (met.includes(false)) process.exitCode = 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
