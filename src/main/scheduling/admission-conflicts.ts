import type { Cause } from '../../shared/cause.ts';
import type { JobState } from '../../shared/domain.ts';
import type { AdmissionEntry } from './admission-types.ts';
import { ClaimLayer } from './claim-layer.ts';
import { PathTree } from './path-tree.ts';

/** A job as admission keeps it between passes. */
export type AdmissionJob = AdmissionEntry & {
  state: JobState;
  repo: RepoState;
  /** Place of its claim in the repository's tree; 0: it touches everything. */
  place: number;
  /** Place in the order; -1 while it has none. */
  rank: number;
  /** Its claim's number in the layer of waiting jobs, of running jobs; -1 while it is not there. */
  waitingTicket: number;
  runningTicket: number;
  /** The job that it waits for, if it waits for one. */
  holder: AdmissionJob | undefined;
  /** The last conflict of paths that was found: mostly the next pass finds it again. */
  shown: PathConflict | undefined;
  /** What `waiting` says of it. */
  told: Cause | undefined;
};

type PathConflict = {
  holder: AdmissionJob;
  cause: Cause;
  ownIndex: number;
  isRunning: boolean;
  /** `claims` of the repository when it was found. */
  claims: number;
};

/** Who claims what in one repository. */
export type RepoState = {
  /** Jobs known, ended ones included. */
  jobCount: number;
  /** Grows whenever a known job's claim changes. */
  claims: number;
  tree: PathTree;
  running: ClaimLayer<AdmissionJob>;
  waiting: ClaimLayer<AdmissionJob>;
  runningJobs: Set<AdmissionJob>;
  /** Whether those in `running` came in the order in which they were submitted, and which came last. */
  runsInOrder: boolean;
  lastRun: AdmissionJob | undefined;
  runningEverything: Set<AdmissionJob>;
  /** Waiting jobs that keep their place, and those of them that touch everything, in order; some may have started. */
  keepers: AdmissionJob[];
  everything: AdmissionJob[];
  /** Jobs that lack nothing but a cap, in order. */
  ready: AdmissionJob[];
};

export type Find = (jobId: string) => AdmissionJob | undefined;

type Conflict = { holder: AdmissionJob; cause: Cause };

export function createRepoState(): RepoState {
  const tree = new PathTree();
  return {
    jobCount: 0,
    claims: 0,
    tree,
    running: new ClaimLayer(tree, 0),
    waiting: new ClaimLayer(tree, 1),
    runningJobs: new Set(),
    runsInOrder: true,
    lastRun: undefined,
    runningEverything: new Set(),
    keepers: [],
    everything: [],
    ready: [],
  };
}

/** Whether of two running jobs the first was submitted earlier; it is the one that gets named. */
export function isEarlier(job: AdmissionJob, than: AdmissionJob | undefined): boolean {
  return !than || job.order < than.order || (job.order === than.order && job.id < than.id);
}

/** The first of a list that still waits, if it is ahead; drops those before it that have started. */
function firstAhead(jobs: AdmissionJob[], of: AdmissionJob): AdmissionJob | undefined {
  let started = 0;
  while (started < jobs.length && jobs[started]?.state !== 'queued') started += 1;
  if (started > 0) jobs.splice(0, started);
  const first = jobs[0];
  return first && first.rank < of.rank ? first : undefined;
}

function everythingConflict(job: AdmissionJob, holder: AdmissionJob): Conflict {
  const whose = job.claim.kind === 'everything' ? 'own' : 'theirs';
  const claim = whose === 'own' ? job.claim : holder.claim;
  const why = claim.kind === 'everything' ? claim.why : '';
  const { id: jobId, ticketId, state } = holder;
  return {
    holder,
    cause: { code: 'touches-everything', jobId, ticketId, running: state === 'running', whose, why },
  };
}

function pathAt(job: AdmissionJob, index: number): string {
  return job.claim.kind === 'paths' ? (job.claim.paths[index] ?? '.') : '.';
}

/** Mostly the next pass finds the same conflict again; then it is the same object, and nobody need look at the holder. */
function pathConflict(
  job: AdmissionJob,
  holder: AdmissionJob,
  ownIndex: number,
  isRunning: boolean,
): Conflict {
  const { shown, repo } = job;
  const isSame = shown?.holder === holder && shown.ownIndex === ownIndex && shown.isRunning === isRunning;
  if (isSame && shown.claims === repo.claims) return shown;
  const theirIndex = repo.tree.indexOfOverlap(job.place, ownIndex, holder.place);
  const { id: jobId, ticketId } = holder;
  const path = pathAt(job, ownIndex);
  const theirPath = pathAt(holder, theirIndex);
  const cause = { code: 'path-conflict', jobId, ticketId, running: isRunning, path, theirPath } as const;
  job.shown = { holder, cause, ownIndex, isRunning, claims: repo.claims };
  return job.shown;
}

function withRelated(job: AdmissionJob, related: Iterable<string>, find: Find): Conflict | undefined {
  let running: AdmissionJob | undefined;
  let ahead: AdmissionJob | undefined;
  for (const id of related) {
    const other = find(id);
    if (other?.repo !== job.repo) continue;
    if (other.state === 'running' && isEarlier(other, running)) running = other;
    const keepsPlace = other.state === 'queued' && other.waitingTicket >= 0;
    if (keepsPlace && other.rank < job.rank && other.rank < (ahead?.rank ?? Infinity)) ahead = other;
  }
  const holder = running ?? ahead;
  if (!holder) return undefined;
  const { id: jobId, ticketId } = holder;
  return { holder, cause: { code: 'related', jobId, ticketId, running: holder === running } };
}

function withRunning(job: AdmissionJob): Conflict | undefined {
  const { repo, place } = job;
  let holder: AdmissionJob | undefined;
  for (const other of place ? repo.runningEverything : repo.runningJobs) {
    if (isEarlier(other, holder)) holder = other;
  }
  if (holder || !place) return holder && everythingConflict(job, holder);
  const any = repo.running.first(place, Infinity);
  if (!any) return undefined;
  let { owner: earliest, ownIndex: index } = any;
  if (repo.runsInOrder) return pathConflict(job, earliest, index, true);
  repo.running.each(place, (other, ownIndex) => {
    if (!isEarlier(other, earliest)) return;
    earliest = other;
    index = ownIndex;
  });
  return pathConflict(job, earliest, index, true);
}

function withWaiting(job: AdmissionJob): Conflict | undefined {
  const { repo, place } = job;
  if (!place) {
    const first = firstAhead(repo.keepers, job);
    return first && everythingConflict(job, first);
  }
  const everything = firstAhead(repo.everything, job);
  const overlap = repo.waiting.first(place, job.waitingTicket < 0 ? Infinity : job.waitingTicket);
  if (everything && (!overlap || everything.rank < overlap.owner.rank))
    return everythingConflict(job, everything);
  return overlap && pathConflict(job, overlap.owner, overlap.ownIndex, false);
}

/**
 * What a job conflicts with: a related job, else the running job that was submitted first, else the first waiting one
 * ahead of it that keeps its place.
 */
export function conflictOf(job: AdmissionJob, related: Iterable<string>, find: Find): Conflict | undefined {
  return withRelated(job, related, find) ?? withRunning(job) ?? withWaiting(job);
}
