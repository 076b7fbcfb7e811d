import type { Cause } from '../../shared/cause.ts';
import type { JobState } from '../../shared/domain.ts';
import type { AdmissionEntry } from './admission-types.ts';
import { ClaimLayer, PathTree } from './path-tree.ts';

/** A job as admission keeps it between passes. */
export type AdmissionJob = AdmissionEntry & {
  state: JobState;
  repo: RepoState;
  /** Its claimed paths in the repository's tree; undefined: it touches everything. */
  nodes: Int32Array | undefined;
  /** Place in the order; -1 while it has none. */
  rank: number;
  /** Its claim's number in the layer of waiting jobs, of running jobs; -1 while it is not there. */
  waitingTicket: number;
  runningTicket: number;
  /** The job that it waits for, if it waits for one. */
  holder: AdmissionJob | undefined;
};

/** Who claims what in one repository. */
export type RepoState = {
  tree: PathTree;
  running: ClaimLayer<AdmissionJob>;
  waiting: ClaimLayer<AdmissionJob>;
  runningJobs: Set<AdmissionJob>;
  /** Waiting jobs that keep their place, and those of them that touch everything, in order; some may have started. */
  keepers: AdmissionJob[];
  everything: AdmissionJob[];
  /** Jobs that lack nothing but a cap, in order. */
  ready: AdmissionJob[];
};

export type Conflict = { holder: AdmissionJob; cause: Cause };

export function createRepoState(): RepoState {
  const tree = new PathTree();
  return {
    tree,
    running: new ClaimLayer(tree),
    waiting: new ClaimLayer(tree),
    runningJobs: new Set(),
    keepers: [],
    everything: [],
    ready: [],
  };
}

/** Whether of two running jobs the first was submitted earlier; it is the one that gets named. */
function isEarlier(job: AdmissionJob, than: AdmissionJob | undefined): boolean {
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

function names(holder: AdmissionJob): { jobId: string; ticketId: string; running: boolean } {
  return { jobId: holder.id, ticketId: holder.ticketId, running: holder.state === 'running' };
}

function everythingConflict(job: AdmissionJob, holder: AdmissionJob): Conflict {
  const whose = job.claim.kind === 'everything' ? 'own' : 'theirs';
  const claim = whose === 'own' ? job.claim : holder.claim;
  const why = claim.kind === 'everything' ? claim.why : '';
  return { holder, cause: { code: 'touches-everything', ...names(holder), whose, why } };
}

function pathConflict(job: AdmissionJob, holder: AdmissionJob, ownIndex: number): Conflict {
  const own = job.nodes?.[ownIndex] ?? 0;
  const theirIndex = holder.nodes?.findIndex((node) => job.repo.tree.overlaps(own, node)) ?? -1;
  const pathAt = (of: AdmissionJob, index: number): string =>
    of.claim.kind === 'paths' ? (of.claim.paths[index] ?? '.') : '.';
  const path = pathAt(job, ownIndex);
  const theirPath = pathAt(holder, theirIndex);
  return { holder, cause: { code: 'path-conflict', ...names(holder), path, theirPath } };
}

function withRelated(job: AdmissionJob, related: Iterable<AdmissionJob>): Conflict | undefined {
  let running: AdmissionJob | undefined;
  let ahead: AdmissionJob | undefined;
  for (const other of related) {
    if (other.repo !== job.repo) continue;
    if (other.state === 'running' && isEarlier(other, running)) running = other;
    const keepsPlace = other.state === 'queued' && other.waitingTicket >= 0;
    if (keepsPlace && other.rank < job.rank && other.rank < (ahead?.rank ?? Infinity)) ahead = other;
  }
  const holder = running ?? ahead;
  return holder && { holder, cause: { code: 'related', ...names(holder) } };
}

function withRunning(job: AdmissionJob): Conflict | undefined {
  const { repo, nodes } = job;
  let holder: AdmissionJob | undefined;
  for (const other of repo.runningJobs) {
    if ((!nodes || !other.nodes) && isEarlier(other, holder)) holder = other;
  }
  if (holder || !nodes) return holder && everythingConflict(job, holder);
  let index = 0;
  repo.running.each(nodes, (other, ownIndex) => {
    if (!isEarlier(other, holder)) return;
    holder = other;
    index = ownIndex;
  });
  return holder && pathConflict(job, holder, index);
}

function withWaiting(job: AdmissionJob): Conflict | undefined {
  const { repo, nodes } = job;
  if (!nodes) {
    const first = firstAhead(repo.keepers, job);
    return first && everythingConflict(job, first);
  }
  const everything = firstAhead(repo.everything, job);
  const overlap = repo.waiting.first(nodes, job.waitingTicket < 0 ? Infinity : job.waitingTicket);
  if (everything && (!overlap || everything.rank < overlap.owner.rank))
    return everythingConflict(job, everything);
  return overlap && pathConflict(job, overlap.owner, overlap.ownIndex);
}

/**
 * What a job conflicts with: a related job, else the running job that was submitted first, else the first waiting one
 * ahead of it that keeps its place.
 */
export function conflictOf(job: AdmissionJob, related: Iterable<AdmissionJob>): Conflict | undefined {
  return withRelated(job, related) ?? withRunning(job) ?? withWaiting(job);
}
