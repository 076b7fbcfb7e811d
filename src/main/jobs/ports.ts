import type { Job, Repository, Settings } from '../../shared/domain.ts';
import type { ResolvedPolicy } from '../gate/policy/policy.ts';
import type { AccountPauses } from '../limits/account-pauses.ts';
import type { CallLimiter } from '../limits/call-limiter.ts';
import type { StepFaucet } from '../limits/step-faucet.ts';
import type { Mirror } from '../slots/mirror/mirror.ts';
import type { SlotPool } from '../slots/pool/pool.ts';
import type { Store } from '../store/store.ts';
import type { SessionHub } from '../terminals/session-hub.ts';

export type BaseVerdict = { green: true } | { green: false; step: string; why: string };
/** A base commit, and the gate that judges it. */
export type JudgedBase = {
  repository: Repository;
  base: string;
  commit: string;
  policyHash: string;
  override: readonly string[] | undefined;
};
export type BaseVerdicts = {
  /** What was said of it before; nothing is run. */
  known(judged: JudgedBase): Promise<BaseVerdict | undefined>;
  /** The same, and where nothing was: runs its gate, once for all who ask. */
  of(judged: JudgedBase, run: { signal: AbortSignal; onWait(): void }): Promise<BaseVerdict>;
  /** Remembers what a gate said of exactly this commit. */
  remember(judged: JudgedBase, verdict: BaseVerdict): Promise<void>;
};

/** What the pipeline takes from outside. */
export type JobPorts = {
  store: Store;
  pool: SlotPool;
  hub: SessionHub;
  clock: { now(): number; monotonic(): number };
  runnerId: string;
  /** Accounts of agents that are paused. */
  accounts: AccountPauses;
  /** Takes turns with every call to a source-control service. */
  forge: CallLimiter;
  /** Name of the operating system's user that this process runs as. */
  user: string | undefined;
  /** Room for gate steps, shared by all gates of this process. */
  gateSteps: StepFaucet;
  settings(): Settings;
  repository(repoId: string): Repository | undefined;
  /** Records that the person agreed to these commands. */
  trust(repository: Repository, hash: string): Promise<Repository>;
  policyAt(
    mirror: Mirror,
    repository: Repository,
    commit: string,
    override?: readonly string[],
  ): Promise<ResolvedPolicy>;
  /** Other jobs that run in the same repository now. */
  inFlight(job: Job): readonly Job[];
  /** Settles when some job changed, or at the latest after `timeoutMs`; rejects when aborted. */
  nextChange(signal: AbortSignal, timeoutMs: number): Promise<void>;
  /** Directory below which an attempt gets a temp directory of its own. */
  tempDir: string;
  /** What the gate says of a base itself; run once for all who ask, in any process as far as it is known. */
  baseVerdicts: BaseVerdicts;
  /** Directory of the slots. */
  slotsDir: string;
  /** Something was written: look at the store. */
  changed(): void;
};
