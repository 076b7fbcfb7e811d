import type { Cause } from '../../shared/cause.ts';
import type { JobState } from '../../shared/domain.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { CapBook } from './admission-caps.ts';
import {
  type AdmissionJob,
  conflictOf,
  createRepoState,
  isEarlier,
  type RepoState,
} from './admission-conflicts.ts';
import { createEdges } from './admission-edges.ts';
import { arrange, type Dependency, dependencyOf } from './admission-order.ts';
import type { Admission, AdmissionEntry, Caps, Decision } from './admission-types.ts';

export type { Admission, AdmissionEntry, Caps, Decision } from './admission-types.ts';

/**
 * A job that pauses before its next attempt keeps its place (nothing that it conflicts with overtakes it) only in the
 * last minute of the pause: a longer one would hold up others for nothing.
 */
export const KEEPS_PLACE_MS = MINUTE_MS;

/** What may be left over in a tree from jobs long gone before it is built anew. */
const LEFTOVER_WEIGHT = 65_536;
const LEFTOVER_WEIGHT_PER_JOB = 128;

/** A change that says what is known already must not cost a full pass. */
function changesAnything(job: AdmissionJob, change: Partial<AdmissionEntry>): boolean {
  return (Object.keys(change) as (keyof AdmissionEntry)[]).some(
    (key) => job[key] !== change[key] && JSON.stringify(job[key]) !== JSON.stringify(change[key]),
  );
}

/**
 * Decides which jobs may start. It holds no clock and does nothing: it takes data and a time, and returns data with
 * reasons. The answer depends on the entries and the time alone, not on the way that led there.
 *
 * A job starts when the caps have room, its dependencies are merged, and it conflicts neither with a running job nor
 * with a waiting one ahead of it that keeps its place. A waiting job keeps its place, also when it lacks a cap alone,
 * unless it waits for a person, for its agent's account, or for a pause that is far from over: so it is overtaken only by jobs that it does not
 * conflict with. Two jobs conflict when they are of one repository and either touches everything, or their paths
 * overlap, or they are related, or one depends on the other.
 */
export function createAdmission(options: { caps: Caps }): Admission {
  const caps = new CapBook(options.caps);
  const jobs = new Map<string, AdmissionJob>();
  const repos = new Map<string, RepoState>();
  const edges = createEdges();
  let pauses: ReadonlyMap<string, Cause> = new Map();
  /** Queued jobs that a running one depends on, because they were reopened since: not beside it. */
  const beneath = new Map<AdmissionJob, AdmissionJob>();
  let order: AdmissionJob[] = [];
  let dependencies = new Map<AdmissionJob, Dependency>();
  /** Why each queued job waits, as of now. One map for good: most causes stay what they are from pass to pass. */
  const waiting = new Map<string, Cause>();
  let machineWasFull = false;
  let nextChangeAt: number | undefined;
  /** Something changed that only a full pass takes in. */
  let dirty = true;

  const find = (jobId: string): AdmissionJob | undefined => jobs.get(jobId);
  function* among(ids: Iterable<string>): Iterable<AdmissionJob> {
    for (const id of ids) {
      const job = jobs.get(id);
      if (job) yield job;
    }
  }

  function tell(job: AdmissionJob, cause: Cause): void {
    if (job.told === cause) return;
    job.told = cause;
    waiting.set(job.id, cause);
  }

  function untell(job: AdmissionJob): void {
    if (job.told) waiting.delete(job.id);
    job.told = undefined;
  }

  function internClaim(job: AdmissionJob): void {
    job.place = job.claim.kind === 'everything' ? 0 : job.repo.tree.intern(job.claim.paths);
  }

  function run(job: AdmissionJob): void {
    untell(job);
    job.state = 'running';
    job.holder = undefined;
    if (job.waitingTicket >= 0) job.repo.waiting.remove(job.waitingTicket);
    job.waitingTicket = -1;
    job.rank = -1;
    job.repo.runningJobs.add(job);
    if (!job.place) job.repo.runningEverything.add(job);
    job.runningTicket = job.place ? job.repo.running.add(job, job.place) : -1;
    if (job.repo.lastRun && isEarlier(job, job.repo.lastRun)) job.repo.runsInOrder = false;
    job.repo.lastRun = job;
    caps.count(job, 1);
  }

  function causeOfDependency(dependency: Dependency): Cause {
    const { jobId, ticketId } = dependency;
    if (dependency.kind === 'failed') {
      return { code: 'dependency-failed', jobId, ticketId, state: dependency.state };
    }
    return { code: 'depends-on', jobId, ticketId, state: find(jobId)?.state ?? 'gone' };
  }

  /** Why a queued job may not start, caps apart, and whether it keeps its place; no cause: it may. */
  function judge(job: AdmissionJob, nowMs: number): { cause?: Cause; keepsPlace: boolean } {
    const dependency = dependencies.size > 0 ? dependencies.get(job) : undefined;
    if (dependency) {
      job.holder = find(dependency.jobId);
      const keepsPlace = dependency.kind === 'waits' && !dependency.stuck;
      return { cause: causeOfDependency(dependency), keepsPlace };
    }
    job.holder = undefined;
    if (job.notBeforeAt !== undefined && job.notBeforeAt > nowMs) {
      const why = job.notBeforeWhy ?? 'a pause before the next attempt';
      const keepsPlace = job.notBeforeAt - nowMs <= KEEPS_PLACE_MS;
      return { cause: { code: 'backoff', untilAt: job.notBeforeAt, why }, keepsPlace };
    }
    const pause = pauses.size > 0 && job.account !== undefined ? pauses.get(job.account) : undefined;
    // Others would wait for hours for nothing.
    if (pause) return { cause: pause, keepsPlace: false };
    const above = beneath.size > 0 ? beneath.get(job) : undefined;
    if (above) {
      job.holder = above;
      const { id: jobId, ticketId } = above;
      return { cause: { code: 'related', jobId, ticketId, running: true }, keepsPlace: true };
    }
    const conflict = conflictOf(job, edges.related(job.id), find);
    job.holder = conflict?.holder;
    return conflict ? { cause: conflict.cause, keepsPlace: true } : { keepsPlace: true };
  }

  /** A tree only grows; what jobs long gone have left in it goes with a new one. */
  function rebuild(repo: RepoState): void {
    Object.assign(repo, createRepoState(), { jobCount: repo.jobCount, claims: repo.claims + 1 });
    for (const job of jobs.values()) if (job.repo === repo) internClaim(job);
  }

  /** Forgets what passes derive, and takes stock of what runs. Returns the queued jobs. */
  function reset(): AdmissionJob[] {
    for (const repo of repos.values()) {
      if (repo.tree.weight > LEFTOVER_WEIGHT && repo.tree.weight > repo.jobCount * LEFTOVER_WEIGHT_PER_JOB)
        rebuild(repo);
      repo.running.clear();
      repo.waiting.clear();
      repo.runningJobs.clear();
      repo.runningEverything.clear();
      repo.runsInOrder = true;
      repo.lastRun = undefined;
      repo.keepers = [];
      repo.everything = [];
      repo.ready = [];
    }
    caps.clear();
    const queued: AdmissionJob[] = [];
    for (const job of jobs.values()) {
      job.waitingTicket = -1;
      job.runningTicket = -1;
      job.rank = -1;
      if (job.state === 'queued') queued.push(job);
      else if (job.state === 'running') run(job);
      else untell(job);
    }
    return queued;
  }

  function* runningJobs(): Iterable<AdmissionJob> {
    for (const { runningJobs: running } of repos.values()) yield* running;
  }

  /** Edges are closed transitively: what a running job rests on does not run beside it. */
  function findBeneath(): void {
    beneath.clear();
    for (const job of runningJobs()) {
      if (job.dependsOn.length === 0) continue;
      const above = new Set<AdmissionJob>([job]);
      for (const each of above) for (const dependency of among(each.dependsOn)) above.add(dependency);
      for (const each of above) {
        if (each.state === 'queued' && each.repo === job.repo && !beneath.has(each)) beneath.set(each, job);
      }
    }
  }

  function takePlace(job: AdmissionJob): void {
    const { repo } = job;
    repo.keepers.push(job);
    // A ticket number for those that touch everything too: it says that they keep their place.
    job.waitingTicket = repo.waiting.add(job, job.place);
    if (!job.place) repo.everything.push(job);
  }

  function pass(nowMs: number): Decision {
    const queued = reset();
    const arranged = arrange(queued, find, nowMs, edges.hasDependencies());
    order = arranged.order;
    dependencies = arranged.dependencies;
    nextChangeAt = arranged.nextChangeAt;
    findBeneath();

    const decision: Decision = { start: [], waiting, held: new Map(), full: true, nextChangeAt };
    let rank = 0;
    for (const job of order) {
      job.rank = rank++;
      const { cause, keepsPlace } = judge(job, nowMs);
      if (cause?.code === 'dependency-failed') {
        untell(job);
        job.state = 'held';
        decision.held.set(job.id, cause);
        continue;
      }
      if (cause?.code === 'backoff') noteBackoff(cause.untilAt, nowMs);
      if (!cause && caps.hasRoomFor(job)) {
        run(job);
        decision.start.push(job.id);
        continue;
      }
      if (keepsPlace) takePlace(job);
      if (cause) tell(job, cause);
      else job.repo.ready.push(job);
    }
    machineWasFull = caps.isMachineFull();
    for (const repo of repos.values()) explainReady(repo.ready);
    dirty = false;
    decision.nextChangeAt = nextChangeAt;
    return decision;
  }

  function noteBackoff(untilAt: number, nowMs: number): void {
    const keepsFrom = untilAt - KEEPS_PLACE_MS;
    nextChangeAt = Math.min(nextChangeAt ?? Infinity, keepsFrom > nowMs ? keepsFrom : untilAt);
  }

  /** Which cap holds them is known only when no more jobs start. */
  function explainReady(ready: Iterable<AdmissionJob>, changed?: Map<string, Cause>): void {
    for (const job of ready) {
      if (job.state !== 'queued') continue;
      const cause = caps.causeOf(job);
      tell(job, cause);
      changed?.set(job.id, cause);
    }
  }

  /** Jobs to judge again when this one ends or starts: what overlaps, is related, or depends on it. */
  function touchedBy(job: AdmissionJob): Set<AdmissionJob> {
    const touched = new Set<AdmissionJob>();
    const { repo, place } = job;
    if (place) {
      repo.waiting.each(place, (other) => touched.add(other));
      for (const other of repo.everything) if (other.state === 'queued') touched.add(other);
    } else {
      for (const other of repo.keepers) if (other.state === 'queued') touched.add(other);
    }
    for (const other of among(edges.related(job.id))) if (other.state === 'queued') touched.add(other);
    for (const other of among(edges.dependents(job.id))) if (other.state === 'queued') touched.add(other);
    return touched;
  }

  /** Returns those that lack nothing but a cap. */
  function judgeAgain(
    touched: Iterable<AdmissionJob>,
    nowMs: number,
    changed: Map<string, Cause>,
  ): AdmissionJob[] {
    const free: AdmissionJob[] = [];
    for (const job of [...touched].sort((a, b) => a.rank - b.rank)) {
      const { cause } = judge(job, nowMs);
      if (cause) {
        tell(job, cause);
        changed.set(job.id, cause);
        continue;
      }
      free.push(job);
      const { ready } = job.repo;
      if (ready.includes(job)) continue;
      const behind = ready.findIndex((other) => other.rank > job.rank);
      ready.splice(behind < 0 ? ready.length : behind, 0, job);
    }
    return free;
  }

  /** The first job in order that nothing but a cap held, where the caps have room now. */
  function nextReady(): AdmissionJob | undefined {
    if (caps.isMachineFull()) return undefined;
    let next: AdmissionJob | undefined;
    for (const { ready } of repos.values()) {
      const [head] = ready;
      if (!head || caps.isRepoFull(head)) continue;
      const first = caps.countsUsers ? ready.find((job) => !caps.isUserFull(job)) : head;
      if (first && (!next || first.rank < next.rank)) next = first;
    }
    return next;
  }

  /** Whether the end of this job changes more than what it held. */
  function needsFullPass(job: AdmissionJob, state: JobState, nowMs: number): boolean {
    if (dirty || job.state !== 'running' || state === 'queued' || state === 'running' || beneath.size > 0)
      return true;
    if (nextChangeAt !== undefined && nowMs >= nextChangeAt) return true;
    for (const dependent of among(edges.dependents(job.id))) {
      if (state !== 'merged' || (dependent.state !== 'queued' && dependent.state !== 'held')) return true;
    }
    return false;
  }

  function end(jobId: string, state: JobState, nowMs: number): Decision {
    const job = jobs.get(jobId);
    if (!job || needsFullPass(job, state, nowMs)) {
      if (job) job.state = state;
      return pass(nowMs);
    }
    const changed = new Map<string, Cause>();
    const start: string[] = [];
    job.state = state;
    job.repo.runningJobs.delete(job);
    job.repo.runningEverything.delete(job);
    if (job.runningTicket >= 0) job.repo.running.remove(job.runningTicket);
    job.runningTicket = -1;
    caps.count(job, -1);

    const held = [...touchedBy(job)].filter((other) => other.holder === job);
    for (const other of held) {
      const dependency = dependencyOf(other, find, dependencies);
      if (dependency) dependencies.set(other, dependency);
      else dependencies.delete(other);
    }
    const free = judgeAgain(held, nowMs, changed);
    for (let next = nextReady(); next; next = nextReady()) {
      next.repo.ready.splice(next.repo.ready.indexOf(next), 1);
      const touched = touchedBy(next);
      run(next);
      touched.delete(next);
      changed.delete(next.id);
      start.push(next.id);
      judgeAgain(touched, nowMs, changed);
    }
    explainReady(free, changed);
    // Which of two caps holds a job can change with every end, where users have a cap of their own.
    if (machineWasFull !== caps.isMachineFull() || caps.countsUsers)
      for (const repo of repos.values()) explainReady(repo.ready, changed);
    machineWasFull = caps.isMachineFull();
    return { start, waiting: changed, held: new Map(), full: false, nextChangeAt };
  }

  function add(entry: AdmissionEntry): void {
    remove(entry.id);
    const repo = repos.get(entry.repoId) ?? createRepoState();
    repos.set(entry.repoId, repo);
    repo.jobCount += 1;
    // Written out: a spread would put half of the fields elsewhere, and a pass reads them ten thousand times.
    const job: AdmissionJob = {
      state: entry.state,
      place: 0,
      rank: -1,
      waitingTicket: -1,
      runningTicket: -1,
      holder: undefined,
      shown: undefined,
      told: undefined,
      repo,
      notBeforeAt: entry.notBeforeAt,
      id: entry.id,
      dependsOn: entry.dependsOn,
      related: entry.related,
      priority: entry.priority,
      queuedAt: entry.queuedAt,
      order: entry.order,
      claim: entry.claim,
      waitsToMerge: entry.waitsToMerge ?? false,
      ticketId: entry.ticketId,
      repoId: entry.repoId,
      user: entry.user,
      notBeforeWhy: entry.notBeforeWhy,
      account: entry.account,
    };
    internClaim(job);
    jobs.set(entry.id, job);
    edges.add(entry);
    dirty = true;
  }

  function remove(jobId: string): void {
    const job = jobs.get(jobId);
    if (!job) return;
    untell(job);
    edges.remove(job);
    jobs.delete(jobId);
    job.repo.jobCount -= 1;
    if (job.repo.jobCount === 0) repos.delete(job.repoId);
    dirty = true;
  }

  return {
    add,
    remove,
    update(jobId, change) {
      const job = jobs.get(jobId);
      if (!job) return false;
      if (!changesAnything(job, change)) return true;
      edges.remove(job);
      Object.assign(job, change);
      edges.add(job);
      if (change.claim) {
        internClaim(job);
        job.repo.claims += 1;
      }
      dirty = true;
      return true;
    },
    setCaps(next) {
      if (caps.set(next)) dirty = true;
    },
    setPauses(next) {
      if (next !== pauses) dirty = true;
      pauses = next;
    },
    pass,
    end,
    order: () => order.filter((job) => job.state === 'queued').map((job) => job.id),
  };
}
