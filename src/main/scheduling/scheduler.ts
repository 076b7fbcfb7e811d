import type { Cause } from '../../shared/cause.ts';
import { ENDED_STATES, type Job } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { LostRunners, RunnerIdentity } from '../runners/runner.ts';
import { SteadyClock } from '../runners/steady-clock.ts';
import type { Lease, Store } from '../store/store.ts';
import { type Admission, type Caps, createAdmission, type Decision } from './admission.ts';
import { Attempts, type StopReason } from './attempts.ts';
import { Drains, movesByItself, type Stay } from './drains.ts';
import { Heartbeat } from './heartbeat.ts';
import { JobBook } from './job-book.ts';
import { Pump } from './pump.ts';
import { createStoreWatch, type StoreWatch } from './store-watch.ts';

/*
 * The scheduler is always in one of these phases:
 *
 *   new ── start() ──▶ taking over ──▶ working ◀──▶ troubled       and from each of them: ── stop() ──▶ stopped
 *
 *   new          knows no job yet
 *   taking over  this process is registered, and ends what dead ones left; nothing is started yet
 *   working      each pass reads what changed, asks admission what may start, claims it under a lease and executes it
 *   troubled     the store takes no changes (disk full, read-only, in use): nothing is started, and every waiting job
 *                says why; a small change is tried from time to time, and the first that is taken leads back
 *   stopped      nothing is started any more; attempts are told to stop, and `stop()` settles when none is left
 *
 * One pass (`#pass`), whatever asked for it (a change here or elsewhere, a beat, a pause that ended, an attempt that left):
 *
 *   read ──▶ free what its dependency held ──▶ decide (admission, pure) ──▶ carry out ─┬─ the store changed by it: decide again
 *                                                                                    └─ else: tell the order, settle drains
 *
 * Any number of processes may do this on one store: a claim is a guarded update, and who loses the race decides again.
 */

export type SchedulerOptions = {
  store: Store;
  runner: RunnerIdentity;
  clock: { now(): number; monotonic(): number };
  caps(): Caps;
  /** Whose limits the next attempt of this job counts for; undefined: nobody's. */
  accountOf(job: Job): string | undefined;
  /** Accounts that take no work now, as the store has them, and how long until the first of them does again. */
  pauses: { refresh(): Promise<ReadonlyMap<string, Cause>>; nextEndMs(): number | undefined };
  /** Queued jobs that count here at all; others wait for another process and hold no place before these. */
  concerns(job: Job): boolean;
  /** Jobs that this process executes; the rest of those that concern it are only explained. */
  accepts(job: Job): boolean;
  /**
   * Runs one attempt to its recorded end. Settles when nothing of it is left; rejects with words for a person where it was
   * taken over meanwhile, never for what the job does.
   */
  execute(job: Job, lease: Lease, signal: AbortSignal): Promise<void>;
  /**
   * Ends what lost attempts of these runners left running and recovers what those that are gone held on disk, before
   * anybody else takes the jobs. Another process may do the same now, and be done with it already.
   */
  recover(lost: readonly Job[], runners: LostRunners): Promise<void>;
  /** What has to be known of these jobs before any of them is started. */
  beforeFirstPass(jobs: readonly Job[]): Promise<void>;
  onJob(job: Job): void;
  /** These queued jobs wait for another cause than was told before. */
  onExplained(jobs: readonly Job[]): void;
  onOrder(jobIds: string[]): void;
  /** Another process changed something in the store. */
  onElsewhere(): void;
  onProblem(error: Error): void;
};

export interface Scheduler {
  start(): Promise<void>;
  /** Something changed: look again. Settles after the look. */
  poke(): Promise<void>;
  job(jobId: string): Job | undefined;
  /** All jobs, the queued ones in the order they will be considered. */
  jobs(): Job[];
  stopAttempt(jobId: string, reason: StopReason): void;
  /**
   * Settles when no job that `concerns` chooses can go on without a person. With `stays`, also not while it says of a held job
   * that it goes on by itself; `onStay` hears of those that are all that is left, whenever they or their causes change.
   */
  drained(concerns: (job: Job) => boolean, stay?: Stay): Promise<void>;
  /** Settles when no attempt is left. The runner stays registered while it still holds anything. */
  stop(): Promise<void>;
}

const POLL_MS = 200;
/** A longer timer of Node's fires at once. The wall clock may go on while this machine sleeps: it is looked at again. */
const LONGEST_TIMER_MS = MINUTE_MS;

/** Its functions may be handed on by themselves. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const pumping = new Pumping(options);
  return {
    start: () => pumping.start(),
    poke: () => pumping.poke(),
    job: (jobId) => pumping.job(jobId),
    jobs: () => pumping.jobs(),
    stopAttempt: (jobId, reason) => pumping.stopAttempt(jobId, reason),
    drained: (concerns, stay) => pumping.drained(concerns, stay),
    stop: () => pumping.stop(),
  };
}

class Pumping implements Scheduler {
  readonly #options: SchedulerOptions;
  readonly #steady: SteadyClock;
  readonly #book = new JobBook();
  readonly #attempts = new Attempts();
  readonly #drains = new Drains();
  readonly #admission: Admission;
  /** Jobs that admission knows. */
  readonly #judged = new Set<string>();
  readonly #pump = new Pump(() => this.#pass().catch((thrown: unknown) => this.#problem(thrown)));
  readonly #watch: StoreWatch;
  readonly #heartbeat: Heartbeat;
  #phase: 'new' | 'taking over' | 'working' | 'stopped' = 'new';
  #lastSeq = 0;
  #poll: NodeJS.Timeout | undefined;
  #wake: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions) {
    const { store, runner, clock, recover, onProblem } = options;
    this.#options = options;
    this.#steady = new SteadyClock(clock);
    this.#admission = createAdmission({ caps: options.caps() });
    this.#watch = createStoreWatch({
      probe: () => runner.beat(),
      onTrouble: (error) => this.#tell(`No job is started: ${error.message}`),
      onRecovered: () => this.#tell('Changes can be recorded again: jobs are started.'),
    });
    this.#heartbeat = new Heartbeat({
      store,
      runner,
      recover,
      attempts: this.#attempts,
      now: clock.now,
      onBeat: () => this.poke(),
      onUnwell: onProblem,
      onProblem: (thrown) => this.#problem(thrown),
    });
  }

  async start(): Promise<void> {
    const { runner, store, beforeFirstPass, onElsewhere } = this.#options;
    this.#phase = 'taking over';
    await runner.register();
    await this.#read();
    await this.#heartbeat.takeOver();
    await beforeFirstPass([...this.#book.all()]);
    this.#poll = setInterval(() => {
      if (!store.changedElsewhere()) return;
      onElsewhere();
      void this.poke();
    }, POLL_MS);
    this.#heartbeat.start();
    this.#phase = 'working';
    await this.poke();
  }

  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#watch.stop();
    clearInterval(this.#poll);
    clearTimeout(this.#wake);
    await this.#heartbeat.stop();
    await this.#pump.rest();
    await this.#attempts.stopAll();
    await this.#pump.rest();
  }

  poke(): Promise<void> {
    return this.#pump.poke();
  }

  job(jobId: string): Job | undefined {
    return this.#book.get(jobId);
  }

  jobs(): Job[] {
    const place = new Map(this.#admission.order().map((jobId, index) => [jobId, index]));
    return [...this.#book.all()].sort(
      (a, b) => (place.get(a.id) ?? -1) - (place.get(b.id) ?? -1) || a.order - b.order,
    );
  }

  stopAttempt(jobId: string, reason: StopReason): void {
    this.#attempts.stop(jobId, reason);
  }

  async drained(concerns: (job: Job) => boolean, stay?: Stay): Promise<void> {
    const drained = this.#drains.add(concerns, stay);
    await this.poke();
    await drained;
  }

  async #pass(): Promise<void> {
    const { caps, pauses, onOrder } = this.#options;
    const ended = await this.#read();
    if (this.#watch.cause) return this.#explainAll(this.#watch.cause);
    await this.#releaseFreed();
    this.#admission.setCaps(caps());
    this.#admission.setPauses(await pauses.refresh());
    let decision = ended ? this.#admission.end(ended.id, ended.state, this.#steady.now()) : undefined;
    for (;;) {
      await this.#read();
      decision ??= this.#admission.pass(this.#steady.now());
      if (!(await this.#carryOut(decision))) break;
      decision = undefined;
    }
    onOrder(this.#admission.order());
    this.#settleDrains();
  }

  /** Reads what changed, here or in another process. Returns the job whose end is all that happened, if so. */
  async #read(): Promise<Job | undefined> {
    const { store, onJob } = this.#options;
    const changed = await store.jobs.changedSince(this.#lastSeq);
    const ended = this.#book.take(changed);
    for (const job of changed) {
      this.#lastSeq = Math.max(this.#lastSeq, job.seq);
      this.#attempts.follow(job);
    }
    for (const { id } of changed) {
      const job = this.#book.get(id);
      if (!job) continue;
      if (id !== ended?.id) this.#judge(job);
      onJob(job);
    }
    return ended;
  }

  #judge(job: Job): void {
    const { concerns, accountOf } = this.#options;
    const isQueued = job.state === 'queued';
    if (isQueued && !concerns(job)) {
      if (this.#judged.delete(job.id)) this.#admission.remove(job.id);
      return;
    }
    const notBeforeAt = this.#steady.due(job.id, isQueued ? job.notBeforeAt : undefined);
    const entry = this.#book.entryOf(job, notBeforeAt, isQueued ? accountOf(job) : undefined);
    if (this.#judged.has(job.id)) this.#admission.update(job.id, entry);
    else this.#admission.add(entry);
    this.#judged.add(job.id);
  }

  /** Held because a dependency had failed: back in the queue once that is no longer so. */
  async #releaseFreed(): Promise<void> {
    const { store, clock } = this.#options;
    for (const job of this.#book.all()) {
      if (job.state !== 'held' || job.cause?.code !== 'dependency-failed') continue;
      const state = this.#book.get(job.cause.jobId)?.state;
      if (state === 'failed' || state === 'cancelled') continue;
      await store.jobs.transition(job.id, ['held'], {
        state: 'queued',
        cause: undefined,
        queuedAt: clock.now(),
      });
    }
  }

  /** Holds, starts and explains as decided; true where the store changed by it. */
  async #carryOut(decision: Decision): Promise<boolean> {
    for (const [jobId, cause] of decision.held) {
      await this.#options.store.jobs.transition(jobId, ['queued'], { state: 'held', cause });
    }
    const { hasTried, left } = await this.#startAll(decision.start);
    const causes: { job: Job; cause: Cause }[] = left.map((job) => ({ job, cause: { code: 'starting' } }));
    for (const [jobId, cause] of decision.waiting) {
      const job = this.#book.get(jobId);
      if (job?.state === 'queued') causes.push({ job, cause });
    }
    this.#explain(causes);
    this.#wakeAt(decision.nextChangeAt);
    return hasTried || decision.held.size > 0;
  }

  /**
   * `hasTried`: this process tried to claim one; whether it got it or not, the store says more than before. `left`: those that
   * another process may start.
   */
  async #startAll(jobIds: readonly string[]): Promise<{ hasTried: boolean; left: Job[] }> {
    const { store, runner, clock, accepts } = this.#options;
    const knownRunning = new Set<string>();
    for (const job of this.#book.all()) if (job.state === 'running') knownRunning.add(job.id);
    let hasTried = false;
    const left: Job[] = [];
    for (const jobId of jobIds) {
      const job = this.#book.get(jobId);
      if (!job) continue;
      const mine = this.#phase === 'working' && accepts(job);
      const claimed = mine
        ? await store.jobs.claim(jobId, { runnerId: runner.id, atMs: clock.now(), knownRunning })
        : undefined;
      if (claimed) {
        knownRunning.add(jobId);
        this.#launch(claimed.job, claimed.lease);
      } else {
        this.#admission.update(jobId, { state: 'queued' });
      }
      hasTried ||= mine;
      if (!mine) left.push(job);
    }
    return { hasTried, left };
  }

  #launch(job: Job, lease: Lease): void {
    const { execute, onProblem } = this.#options;
    this.#attempts.launch(
      lease,
      (signal) => execute(job, lease, signal).catch((thrown: unknown) => onProblem(toError(thrown))),
      () => void this.poke(),
    );
  }

  #explain(causes: readonly { job: Job; cause: Cause }[]): void {
    const explained = causes.flatMap(({ job, cause }) => this.#book.explain(job, cause) ?? []);
    if (explained.length > 0) this.#options.onExplained(explained);
  }

  #explainAll(cause: Cause): void {
    const queued = [...this.#book.all()].filter(({ state }) => state === 'queued');
    this.#explain(queued.map((job) => ({ job, cause })));
  }

  /** Looks again when the answer changes by time alone. */
  #wakeAt(nextChangeAt: number | undefined): void {
    clearTimeout(this.#wake);
    const waits = [
      nextChangeAt === undefined ? undefined : nextChangeAt - this.#steady.now(),
      this.#options.pauses.nextEndMs(),
    ].filter((waitMs) => waitMs !== undefined);
    if (waits.length === 0 || this.#phase === 'stopped') return;
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(Math.min(...waits))));
    this.#wake = setTimeout(() => void this.poke(), waitMs);
  }

  #settleDrains(): void {
    const all = [...this.#book.all()];
    const busy = this.#watch.cause !== undefined || this.#attempts.size > 0 || all.some(movesByItself);
    const open = all.filter((job) => !this.#isOver(job));
    this.#drains.settle(open, busy, (jobId) => this.#book.get(jobId));
  }

  /** A cancelled job may have landed in that moment: its attempt says so when it leaves. */
  #isOver(job: Job): boolean {
    return ENDED_STATES.includes(job.state) && (job.state !== 'cancelled' || !this.#attempts.has(job.id));
  }

  #problem(thrown: unknown): void {
    if (!this.#watch.noticed(thrown)) this.#options.onProblem(toError(thrown));
  }

  #tell(words: string): void {
    this.#options.onProblem(new Error(words));
    void this.poke();
  }
}
