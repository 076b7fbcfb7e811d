import type { Cause } from '../../shared/cause.ts';
import type { Attempt, GateResult, Job, Stage } from '../../shared/domain.ts';
import { patiently } from '../limits/patiently.ts';
import type { JobChange, Lease, Store } from '../store/store.ts';
import { StageClock } from './stages/stage-clock.ts';

/** Thrown inside an attempt whose lease is gone: whatever it did is refused, and it leaves without a trace. */
export class LeaseLost extends Error {}

export type Clock = { now(): number; monotonic(): number };

type Outcome = NonNullable<Attempt['outcome']>;

/** What an attempt writes of itself: each stage as it begins, each gate run, one end. */
export class AttemptRecord {
  readonly #store: Store;
  readonly #lease: Lease;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  readonly #stages: StageClock;
  readonly #gates: GateResult[] = [];
  #job: Job;
  /** A person let this attempt start although something spoke against it. */
  readonly wasReleased: boolean;

  constructor(options: {
    store: Store;
    lease: Lease;
    job: Job;
    clock: Clock;
    signal: AbortSignal;
    changed(): void;
  }) {
    this.#store = options.store;
    this.#lease = options.lease;
    this.#clock = options.clock;
    this.#changed = options.changed;
    this.#signal = options.signal;
    this.#job = options.job;
    this.wasReleased = options.job.approved === true;
    this.#stages = new StageClock(options.clock);
  }

  get job(): Job {
    return this.#job;
  }

  get lease(): Lease {
    return this.#lease;
  }

  async change(change: JobChange): Promise<void> {
    const saved = await patiently(() => this.#store.jobs.update(this.#lease, change), this.#signal);
    if (!saved) throw new LeaseLost();
    this.#job = saved;
    this.#changed();
  }

  async enter(stage: Stage): Promise<void> {
    this.#stages.enter(stage);
    await this.change({ stage, cause: undefined, stages: this.#stages.times() });
    await this.note({ stages: this.#stages.spans() });
  }

  /** Says what the stage waits for; `undefined` when it goes on. */
  async waits(cause: Cause | undefined): Promise<void> {
    if (JSON.stringify(this.#job.cause) !== JSON.stringify(cause)) await this.change({ cause });
  }

  /** As `waits`, from a callback that cannot wait: a lost lease is found by the next change. */
  says(cause: Cause): void {
    this.waits(cause).catch(() => undefined);
  }

  /** As `note`, from a callback that cannot wait. */
  soon(change: Partial<Attempt>): void {
    this.#store.jobs.putAttempt(this.#lease, change).catch(() => undefined); // the next one says more
  }

  async note(change: Partial<Attempt>): Promise<void> {
    await patiently(() => this.#store.jobs.putAttempt(this.#lease, change), this.#signal);
  }

  async gate(result: GateResult): Promise<void> {
    this.#gates.push(result);
    await this.note({ gates: [...this.#gates] });
    await this.change({ verdict: result.verdict });
  }

  /** Ends the attempt: one transaction for the job's new state and the attempt's outcome. */
  async end(outcome: Outcome, change: JobChange, cause?: Cause): Promise<void> {
    this.#stages.leave();
    const now = this.#clock.now();
    await this.note({ stages: this.#stages.spans() });
    const ended = outcome !== 'requeued';
    const last: JobChange = {
      ...change,
      stage: undefined,
      slotId: undefined,
      stages: this.#stages.times(),
      ...(ended ? { endedAt: now } : { queuedAt: now }),
    };
    const end = { outcome, atMs: now, ...(cause ? { cause } : {}) };
    const saved = await patiently(() => this.#store.jobs.update(this.#lease, last, end), this.#signal);
    if (!saved) throw new LeaseLost();
    this.#job = saved;
    this.#changed();
  }

  /** Every gate that judged this job so far, the oldest first. */
  async gates(): Promise<GateResult[]> {
    return [...(await this.earlier()).flatMap((attempt) => attempt.gates), ...this.#gates];
  }

  /** The attempts before this one. */
  async earlier(): Promise<Attempt[]> {
    const attempts = await this.#store.jobs.attempts(this.#job.id);
    return attempts.filter((attempt) => attempt.number < this.#lease.attempt);
  }
}
