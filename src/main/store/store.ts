import type {
  Attempt,
  Job,
  JobState,
  Repository,
  Session,
  Settings,
  Slot,
  SlotState,
} from '../../shared/domain.ts';
import type { Proof } from '../../shared/gate-report.ts';
import type { AuditEntry, AuditRow } from './audit-chain.ts';

/**
 * The store is the truth: every change of state is one transaction, guarded by what it expects to find. The interface
 * is asynchronous although SQLite is not, so that a busy database never blocks the process and other engines fit.
 */

/** A process that executes jobs. Known by process id and start mark, so that a re-used id is not taken for it. */
export type Runner = {
  id: string;
  pid: number;
  started: string;
  host: string;
  /** Counts up while it works. */
  beat: number;
  /** For people; nothing is decided by it. */
  heartbeatAt: number;
};

/** Names the attempt that may write; a late one is refused by its number. */
export type Lease = { jobId: string; attempt: number; runnerId: string };

/** `key` is the idempotency key of the submission: repository, ticket and content. */
export type NewJob = Omit<Job, 'seq' | 'order'> & { key: string };

export type ClaimRequest = {
  runnerId: string;
  atMs: number;
  knownRunning: ReadonlySet<string>;
};

/** A job that was submitted before and is tried again. */
export type Again = { jobId: string; change: JobChange };

/** Called inside the transaction with what stands then; they only compute. Where one throws, nothing is submitted. */
export type SubmitRules = {
  /** What becomes of an open job of a ticket that was submitted with other content. */
  giveWay(job: Job): JobChange;
  /** `queued`: jobs that wait, without those that give way; `adding`: how many new ones would join them. */
  room(queued: number, adding: number): void;
  /** What is agreed to by submitting: the setup and gate commands of a repository, by their hash. */
  trust?: { repoId: string; hash: string };
};

/** `cause`: why the attempt ended so, where the job itself goes on for another reason. */
export type AttemptEnd = { outcome: NonNullable<Attempt['outcome']>; atMs: number; cause?: Attempt['cause'] };

export interface JobRecords {
  /** Jobs whose `seq` is greater, in that order; `0` gives all. */
  changedSince(seq: number): Promise<Job[]>;
  get(jobId: string): Promise<Job | undefined>;
  /** The newest job of this idempotency key. */
  byKey(key: string): Promise<Job | undefined>;
  /** A job for each, in order: the open one of the same key where there is one, whoever asked for it first. */
  insert(jobs: readonly NewJob[]): Promise<Job[]>;
  /**
   * As `insert`, and puts failed and cancelled jobs back in the queue, each as `again` says, in the order of both lists; one that
   * is neither any more stays as it is. What is open of the same tickets gives way, and `rules.trust` is written down. All of
   * it, or nothing where a rule throws.
   */
  submit(jobs: readonly NewJob[], again: readonly Again[], rules: SubmitRules): Promise<Job[]>;
  /**
   * Queued → running at stage `slot` under a new attempt. Undefined where it is not queued any more, or where a job runs
   * that is not among `knownRunning`: another process started one meanwhile, and what was decided must be decided again.
   */
  claim(jobId: string, claim: ClaimRequest): Promise<{ job: Job; lease: Lease } | undefined>;
  /** Those of the leases that do not hold any more. */
  lost(leases: readonly Lease[]): Promise<Lease[]>;
  /** A change by the attempt that holds the lease; undefined where the lease is lost. `end` closes the attempt. */
  update(lease: Lease, change: JobChange, end?: AttemptEnd): Promise<Job | undefined>;
  /**
   * A change from outside an attempt (cancel, hold, reopen …), guarded by the states it expects. `action`: what a person
   * asked for, for the audit log.
   */
  transition(
    jobId: string,
    from: readonly JobState[],
    change: JobChange,
    action?: string,
  ): Promise<Job | undefined>;
  /** Running jobs of these runners. */
  ofRunners(runnerIds: readonly string[]): Promise<Job[]>;
  /** Running jobs of runners that are gone or hang: back to queued, the attempt marked lost. `why` is for people. */
  takeOver(runnerIds: readonly string[], nowMs: number, why?: string): Promise<Job[]>;
  attempts(jobId: string): Promise<Attempt[]>;
  putAttempt(lease: Lease, change: Partial<Attempt>): Promise<void>;
}

export type JobChange = Partial<Omit<Job, 'id' | 'repoId' | 'seq' | 'order' | 'attempts'>>;

export interface SlotRecords {
  list(repoId?: string): Promise<Slot[]>;
  /** False where it is not `wanted` beside the other slots of its repository, as they are at that moment. */
  insert(slot: Slot, wanted?: (others: readonly Slot[]) => boolean): Promise<boolean>;
  /**
   * Compare-and-set on the state, and with `held` on who held it as well: the new row, or undefined where the slot was in none
   * of `from`, held by somebody else, or gone.
   */
  transition(
    slotId: string,
    from: readonly SlotState[],
    change: Partial<Omit<Slot, 'id' | 'repoId'>>,
    held?: Pick<Slot, 'runnerId'>,
  ): Promise<Slot | undefined>;
  remove(slotId: string): Promise<void>;
}

export const EFFECT_KINDS = ['merge', 'branch', 'pull-request', 'comment'] as const;

/** A change outside a slot. Written before it happens; `key` is unique, so that it is found and not repeated. */
export type Effect = {
  key: string;
  jobId: string;
  kind: (typeof EFFECT_KINDS)[number];
  state: 'intended' | 'done' | 'failed';
  data: Record<string, unknown>;
  createdAt: number;
  settledAt?: number;
};

export interface EffectRecords {
  /**
   * Writes the intent, or returns the one that stands or is done under the same key. Undefined, and nothing is written,
   * where the lease does not hold any more.
   */
  intend(effect: Effect, lease: Lease): Promise<Effect | undefined>;
  settle(key: string, state: 'done' | 'failed', data: Record<string, unknown>, atMs: number): Promise<void>;
  /**
   * As `settle`, for one that its attempt has left: false, and nothing is written, where it is settled or its job runs by now.
   */
  settleOrphan(
    key: string,
    state: 'done' | 'failed',
    data: Record<string, unknown>,
    atMs: number,
  ): Promise<boolean>;
  /** Not settled: under way, or orphaned by an attempt that ended meanwhile. */
  open(): Promise<Effect[]>;
  /** All of one job, the oldest first. */
  ofJob(jobId: string): Promise<Effect[]>;
}

/** Proofs that gates can fail, by what they hold for (see `proofKey`). */
export interface ProofRecords {
  get(repoId: string, key: string): Promise<Proof | undefined>;
  /** The newest one, whatever it holds for. */
  latest(repoId: string): Promise<Proof | undefined>;
  put(proof: Proof): Promise<void>;
}

/** Who did what. Rows are added, never changed or removed: the database itself refuses it. */
export interface AuditRecords {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** The oldest first. */
  list(of?: { repoId?: string; sinceAt?: number }): Promise<AuditRow[]>;
  /** How many rows were ever written. */
  written(): Promise<number>;
}

/** A small document that processes change in turn. */
export interface SharedDocument {
  /** What the last change left; undefined: nothing. */
  read(): Promise<unknown>;
  /**
   * `change` gets what the last one left (undefined: nothing) and says what is to stand. Called inside the transaction, so
   * it only computes. Where it stays the same nothing is written.
   */
  change<T>(change: (document: unknown) => { document: unknown; result: T }): Promise<T>;
}

export interface Store extends AsyncDisposable {
  readonly jobs: JobRecords;
  readonly slots: SlotRecords;
  readonly effects: EffectRecords;
  readonly proofs: ProofRecords;
  readonly audit: AuditRecords;
  /** What a person should know of the store's own state, in words; undefined: it is well. */
  health(): Promise<string | undefined>;
  shared(name: string): SharedDocument;
  /** Sequence number of the last change of a job. */
  seq(): Promise<number>;
  /** True where another connection has changed something since the last call. */
  changedElsewhere(): boolean;
  repositories: {
    list(): Promise<Repository[]>;
    /** `change` gets what stands (undefined: nothing) and says what is to stand; undefined: it stays as it is. */
    change(
      repoId: string,
      change: (registered: Repository | undefined) => Repository | undefined,
    ): Promise<Repository | undefined>;
    remove(repoId: string): Promise<void>;
  };
  sessions: {
    list(): Promise<Session[]>;
    put(session: Session): Promise<void>;
    remove(sessionId: string): Promise<void>;
  };
  settings: {
    get(): Promise<Partial<Settings>>;
    /** `change` gets what stands and says what is to stand. */
    change(change: (stored: Partial<Settings>) => Settings): Promise<Settings>;
  };
  runners: {
    list(): Promise<Runner[]>;
    put(runner: Runner): Promise<void>;
    remove(runnerId: string): Promise<void>;
  };
  /**
   * A named lock, e.g. `merge:<repository>`, for as long as the lease of its holder holds: when an attempt ends or is
   * taken over its lock is free, whatever became of its process. Whoever asked first gets it first, in whichever process: an
   * attempt that did not get it keeps its place in line until it asks again, or its lease is gone. `by` says who holds it, or
   * who is first in line.
   */
  locks: {
    tryAcquire(name: string, lease: Lease): Promise<{ held: boolean; by: Lease }>;
    release(name: string, lease: Lease): Promise<void>;
  };
}
