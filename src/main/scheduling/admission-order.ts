import { type JobState, PRIORITIES, type Priority } from '../../shared/domain.ts';
import { MINUTE_MS } from '../../shared/time.ts';

/** A job counts one priority class higher for each time that it has waited this long, so that nobody starves. */
export const AGEING_MS = 10 * MINUTE_MS;

/** What the order needs to know of a job. */
export type Ordered = {
  readonly id: string;
  readonly ticketId: string;
  readonly priority: Priority;
  /** Order of submission: lower comes first within a class. */
  readonly order: number;
  /** Job ids. */
  readonly dependsOn: readonly string[];
  readonly state: JobState;
  readonly queuedAt: number;
};

/** Why a job may not start for its dependencies' sake; undefined: they are all merged. */
export type Dependency =
  | {
      kind: 'waits';
      jobId: string;
      ticketId: string;
      /** Waits for a person somewhere up the chain, so its end is not in sight. */
      stuck: boolean;
    }
  | { kind: 'failed'; jobId: string; ticketId: string; state: string };

export type Arrangement<J> = {
  /** Queued jobs, each behind those that it depends on. */
  order: J[];
  /** By job; no entry: nothing in the way. */
  dependencies: Map<J, Dependency>;
  /** When a job's class changes by age; undefined: never. */
  nextChangeAt: number | undefined;
};

function classOf(job: Ordered, nowMs: number): number {
  const risen = Math.floor(Math.max(0, nowMs - job.queuedAt) / AGEING_MS);
  return Math.max(0, PRIORITIES.indexOf(job.priority) - risen);
}

/** When a job rises from this class to the next one. */
function nextRise(job: Ordered, rank: number, nowMs: number): number {
  if (rank === 0) return Number.POSITIVE_INFINITY;
  return job.queuedAt + (Math.floor(Math.max(0, nowMs - job.queuedAt) / AGEING_MS) + 1) * AGEING_MS;
}

const isBehind = (a: Ordered, b: Ordered): number => a.order - b.order || (a.id < b.id ? -1 : 1);

/** One bucket a class; within it, order of submission, which is mostly the order in which they come. */
function sortByClass<J extends Ordered>(
  queued: readonly J[],
  nowMs: number,
): { sorted: J[]; nextChangeAt: number } {
  const classes = PRIORITIES.map(() => ({
    jobs: [] as J[],
    isSorted: true,
    last: undefined as J | undefined,
  }));
  let nextChangeAt = Number.POSITIVE_INFINITY;
  for (const job of queued) {
    const rank = classOf(job, nowMs);
    nextChangeAt = Math.min(nextChangeAt, nextRise(job, rank, nowMs));
    const bucket = classes[rank];
    if (!bucket) continue;
    if (bucket.last && isBehind(bucket.last, job) > 0) bucket.isSorted = false;
    bucket.last = job;
    bucket.jobs.push(job);
  }
  for (const { jobs, isSorted } of classes) if (!isSorted) jobs.sort(isBehind);
  return { sorted: classes.flatMap(({ jobs }) => jobs), nextChangeAt };
}

/**
 * The order in which queued jobs are judged: class (interactive, batch, background; risen by age), then submission. A
 * job that others wait for comes right before the first of them, so an urgent job is never behind a lazy dependency,
 * and a job never waits for one behind it. Without `hasDependencies` no job has any.
 */
export function arrange<J extends Ordered>(
  queued: readonly J[],
  find: (jobId: string) => J | undefined,
  nowMs: number,
  hasDependencies: boolean,
): Arrangement<J> {
  const { sorted, nextChangeAt } = sortByClass(queued, nowMs);
  const rises = Number.isFinite(nextChangeAt) ? nextChangeAt : undefined;
  const dependencies = new Map<J, Dependency>();
  if (!hasDependencies) return { order: sorted, dependencies, nextChangeAt: rises };

  const order: J[] = [];
  const visits = new Map<J, 'open' | 'done'>();
  for (const job of sorted) visit(job);
  return { order, dependencies, nextChangeAt: rises };

  /** Depth first without recursion: a chain may be as long as the queue. */
  function visit(start: J): void {
    const stack: { job: J; next: number }[] = [];
    const open = (job: J): void => {
      visits.set(job, 'open');
      stack.push({ job, next: 0 });
    };
    if (!visits.has(start)) open(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { job } = top;
      const dependency = find(job.dependsOn[top.next] ?? '');
      if (top.next < job.dependsOn.length) {
        top.next += 1;
        if (dependency && !visits.has(dependency)) open(dependency);
        else if (dependency && visits.get(dependency) === 'open') {
          const { id: jobId, ticketId } = dependency;
          dependencies.set(job, { kind: 'failed', jobId, ticketId, state: 'waiting for it in turn' });
        }
        continue;
      }
      stack.pop();
      visits.set(job, 'done');
      if (job.state !== 'queued') continue;
      order.push(job);
      const found = dependencies.get(job) ?? dependencyOf(job, find, dependencies);
      if (found) dependencies.set(job, found);
    }
  }
}

/** What a queued job's dependencies say, given the answers for those that are queued themselves. */
export function dependencyOf<J extends Ordered>(
  job: J,
  find: (jobId: string) => J | undefined,
  known: ReadonlyMap<J, Dependency>,
): Dependency | undefined {
  let waits: (Dependency & { kind: 'waits' }) | undefined;
  for (const id of job.dependsOn) {
    const dependency = find(id);
    if (!dependency) return { kind: 'failed', jobId: id, ticketId: id, state: 'gone' };
    const { state, ticketId } = dependency;
    if (state === 'failed' || state === 'cancelled') return { kind: 'failed', jobId: id, ticketId, state };
    const on = state === 'merged' ? openAbove(dependency, find) : dependency;
    if (!on) continue;
    const above = on.state === 'queued' ? known.get(on) : undefined;
    const stuck = on.state === 'held' || above?.kind === 'failed' || above?.stuck === true;
    if (!waits || (stuck && !waits.stuck))
      waits = { kind: 'waits', jobId: on.id, ticketId: on.ticketId, stuck };
  }
  return waits;
}

/** A merged dependency may rest on one that was reopened since: edges count through it. */
function openAbove<J extends Ordered>(merged: J, find: (jobId: string) => J | undefined): J | undefined {
  const seen = new Set<J>([merged]);
  for (const job of seen) {
    for (const id of job.dependsOn) {
      const above = find(id);
      if (above?.state === 'queued' || above?.state === 'running') return above;
      if (above?.state === 'merged') seen.add(above);
    }
  }
  return undefined;
}
