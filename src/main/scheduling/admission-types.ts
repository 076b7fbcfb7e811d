import type { Cause } from '../../shared/cause.ts';
import type { Claim, JobState } from '../../shared/domain.ts';
import type { Ordered } from './admission-order.ts';

/** Jobs at once. */
export type Caps = {
  readonly machine: number;
  /** In each repository. */
  readonly repository: number;
  /** By repository, where one has a lower cap of its own. */
  readonly repositories?: Readonly<Record<string, number>>;
  /** Of each user; jobs without a user count for none. */
  readonly user?: number;
};

/** What admission knows of a job. Ended jobs matter as dependencies only. */
export type AdmissionEntry = Ordered & {
  readonly repoId: string;
  /** Whose job it is. */
  readonly user?: string;
  readonly claim: Claim;
  /** It runs, and waits for its turn to merge: it takes nobody's seat meanwhile. */
  readonly waitsToMerge?: boolean;
  /** Job ids; they hold in both directions, within a repository. */
  readonly related: readonly string[];
  /** Whose limits its agent's work counts for; none: nobody's, or it needs no agent any more. */
  readonly account?: string;
  readonly notBeforeAt?: number;
  /** Why it pauses, in words. */
  readonly notBeforeWhy?: string;
};

export type Decision = {
  /** Jobs to start, in order. They count as running from now on; put one back with `update` if it could not start. */
  start: string[];
  /**
   * Why jobs wait. A full pass names every queued job, a re-admission those that it judged again. Read it before the
   * next call: the map of a full pass is then brought up to date, not replaced.
   */
  waiting: ReadonlyMap<string, Cause>;
  /** Queued jobs that a person must look at. They count as held from now on. */
  held: Map<string, Cause>;
  /** Whether the whole queue was judged. */
  full: boolean;
  /** When the answer changes by time alone (a pause ends, a job ages): ask again then. */
  nextChangeAt: number | undefined;
};

export type Admission = {
  /** Adds a job, or replaces the one of that id. Dependencies that ended before are added with the state they have. */
  add(entry: AdmissionEntry): void;
  /** Any change but a running job's end, which has `end`. False: no such job. */
  update(jobId: string, change: Partial<Omit<AdmissionEntry, 'id' | 'repoId'>>): boolean;
  remove(jobId: string): void;
  setCaps(caps: Caps): void;
  /** Accounts that take no work now, each with the cause that their jobs wait for. */
  setPauses(pauses: ReadonlyMap<string, Cause>): void;
  /** Judges every queued job. */
  pass(nowMs: number): Decision;
  /**
   * A running job left that state for this one, and stays known to those that depend on it. Judges again only what it held, where
   * that is enough (nothing else changed meanwhile, and no job that depends on it is to be held), else the whole queue.
   */
  end(jobId: string, state: JobState, nowMs: number): Decision;
  /** Ids of the queued jobs, first to start first, as of the last pass. */
  order(): string[];
};
