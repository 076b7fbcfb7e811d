import type { Cause } from '../../shared/cause.ts';
import { type Claim, ENDED_STATES, type Job } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { LostRunners, RunnerIdentity } from '../runners/runner.ts';
import { SteadyClock } from '../runners/steady-clock.ts';
import type { Lease, Store } from '../store/store.ts';
import {
  type Admission,
  type AdmissionEntry,
  type Caps,
  createAdmission,
  type Decision,
} from './admission.ts';
import { waitsToMerge } from './seats.ts';
import { createStoreWatch } from './store-watch.ts';

/** Why an attempt was told to stop. */
export type StopReason = 'cancelled' | 'lease-lost' | 'stopping';

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

export type Stay = { stays(job: Job): boolean; onStay(held: readonly Job[]): void };
type Drain = { concerns(job: Job): boolean; stay: Stay | undefined; said: string; resolve(): void };
type RunningAttempt = { lease: Lease; controller: AbortController; done: Promise<void> };

const POLL_MS = 200;
/** A longer timer of Node's fires at once. The wall clock may go on while this machine sleeps: it is looked at again. */
const LONGEST_TIMER_MS = MINUTE_MS;

/** Causes of waiting jobs that time alone takes away. */
const PASSES: ReadonlySet<string> = new Set(['backoff', 'account-paused'] satisfies Cause['code'][]);

/** What a job may touch while others are judged: its claim, and what its last attempt really changed. */
function effectiveClaim(job: Job): Claim {
  if (job.claim.kind === 'everything' || job.files.length === 0) return job.claim;
  return { kind: 'paths', paths: [...new Set([...job.claim.paths, ...job.files])], from: 'changed' };
}

/**
 * The pump. Reads what changed in the store, asks admission (pure) what may start, claims it under a lease and
 * executes it. Any number of processes may do this on one store: a claim is a guarded update.
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, runner, clock } = options;
  const steady = new SteadyClock(clock);
  const jobs = new Map<string, Job>();
  /** Including those whose end is recorded while their slot is still being reset. */
  const attempts = new Set<RunningAttempt>();
  const drains = new Set<Drain>();
  const admission: Admission = createAdmission({ caps: options.caps() });
  const judged = new Set<string>();
  let lastSeq = 0;
  let pumping: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let beatTimer: NodeJS.Timeout | undefined;
  let changeTimer: NodeJS.Timeout | undefined;

  /** The newest job of each ticket: what a dependency means. */
  const byTicket = new Map<string, Job>();
  const remember = (job: Job): void => {
    jobs.set(job.id, job);
    const name = `${job.repoId} ${job.ticket.id}`;
    const known = byTicket.get(name);
    if (!known || known.order <= job.order) byTicket.set(name, job);
  };

  const entryOf = (job: Job): AdmissionEntry => {
    const notBeforeAt = steady.due(job.id, job.state === 'queued' ? job.notBeforeAt : undefined);
    const ids = (tickets: readonly string[]): string[] =>
      tickets.flatMap((ticket) => byTicket.get(`${job.repoId} ${ticket}`)?.id ?? []);
    return {
      id: job.id,
      ticketId: job.ticket.id,
      repoId: job.repoId,
      ...(job.user === undefined ? {} : { user: job.user }),
      claim: effectiveClaim(job),
      waitsToMerge: waitsToMerge(job),
      priority: job.ticket.priority,
      order: job.order,
      queuedAt: job.queuedAt,
      dependsOn: ids(job.ticket.dependsOn),
      related: ids(job.ticket.related),
      state: job.state,
      ...(notBeforeAt === undefined ? {} : { notBeforeAt }),
      ...(job.cause?.code === 'backoff' ? { notBeforeWhy: job.cause.why } : {}),
      account: job.state === 'queued' ? options.accountOf(job) : undefined,
    };
  };

  const problem = (thrown: unknown): void => {
    if (!watch.noticed(thrown)) options.onProblem(toError(thrown));
  };
  const watch = createStoreWatch({
    probe: () => runner.beat(),
    onTrouble(error) {
      options.onProblem(new Error(`No job is started: ${error.message}`));
      void scheduler.poke();
    },
    onRecovered() {
      options.onProblem(new Error('Changes can be recorded again: jobs are started.'));
      void scheduler.poke();
    },
  });

  /** Reads what changed, here or in another process. Returns the job whose end is all that happened, if so. */
  const sync = async (): Promise<Job | undefined> => {
    const changed = await store.jobs.changedSince(lastSeq);
    let ended: Job | undefined;
    for (const job of changed) {
      lastSeq = Math.max(lastSeq, job.seq);
      const known = jobs.get(job.id);
      if (changed.length === 1 && known?.state === 'running' && ENDED_STATES.includes(job.state)) ended = job;
      // A queued job's reason is derived at each pass and not stored: keep the one that was shown.
      remember(job.state === 'queued' && known?.state === 'queued' ? { ...job, cause: known.cause } : job);
      for (const attempt of attemptsOf(job.id)) {
        if (job.state === 'running' && job.attempts === attempt.lease.attempt) continue;
        attempt.controller.abort(job.state === 'cancelled' ? 'cancelled' : 'lease-lost');
      }
    }
    for (const { id } of changed) {
      const job = jobs.get(id);
      if (!job) continue;
      if (job !== ended) judge(job);
      options.onJob(job);
    }
    return ended;
  };

  const judge = (job: Job): void => {
    if (job.state === 'queued' && !options.concerns(job)) {
      if (judged.delete(job.id)) admission.remove(job.id);
      return;
    }
    const entry = entryOf(job);
    if (judged.has(job.id)) admission.update(job.id, entry);
    else admission.add(entry);
    judged.add(job.id);
  };

  const launch = (job: Job, lease: Lease): void => {
    const controller = new AbortController();
    const done = options
      .execute(job, lease, controller.signal)
      .catch((thrown: unknown) => options.onProblem(toError(thrown)))
      .finally(() => {
        attempts.delete(attempt);
        void scheduler.poke();
      });
    const attempt: RunningAttempt = { lease, controller, done };
    attempts.add(attempt);
  };

  const attemptsOf = (jobId: string): RunningAttempt[] =>
    [...attempts].filter((attempt) => attempt.lease.jobId === jobId);

  /** Held because a dependency had failed: back in the queue once that is no longer so. */
  const releaseFreed = async (): Promise<void> => {
    for (const job of jobs.values()) {
      if (job.state !== 'held' || job.cause?.code !== 'dependency-failed') continue;
      const state = jobs.get(job.cause.jobId)?.state;
      if (state === 'failed' || state === 'cancelled') continue;
      await store.jobs.transition(job.id, ['held'], {
        state: 'queued',
        cause: undefined,
        queuedAt: clock.now(),
      });
    }
  };

  const pass = async (): Promise<void> => {
    const ended = await sync();
    if (watch.cause) return explainTrouble(watch.cause);
    await releaseFreed();
    admission.setCaps(options.caps());
    admission.setPauses(await options.pauses.refresh());
    let decision = ended ? admission.end(ended.id, ended.state, steady.now()) : undefined;
    for (;;) {
      await sync();
      decision ??= admission.pass(steady.now());
      const changed = await carryOut(decision);
      if (!changed) break;
      decision = undefined;
    }
    options.onOrder(admission.order());
    settleDrains();
  };

  const explainTrouble = (cause: Cause): void => {
    for (const job of jobs.values()) if (job.state === 'queued') explain(job, cause);
  };

  /** Holds, starts and explains as decided; true where the store changed by it. */
  const carryOut = async (decision: Decision): Promise<boolean> => {
    let changed = false;
    for (const [jobId, cause] of decision.held) {
      changed = true;
      await store.jobs.transition(jobId, ['queued'], { state: 'held', cause });
    }
    const knownRunning = new Set(
      [...jobs.values()].flatMap((job) => (job.state === 'running' ? job.id : [])),
    );
    for (const jobId of decision.start) {
      const job = jobs.get(jobId);
      if (!job) continue;
      const mine = !stopped && options.accepts(job);
      const claimed = mine
        ? await store.jobs.claim(jobId, {
            runnerId: runner.id,
            atMs: clock.now(),
            knownRunning,
          })
        : undefined;
      if (claimed) {
        knownRunning.add(jobId);
        launch(claimed.job, claimed.lease);
      } else {
        admission.update(jobId, { state: 'queued' });
      }
      changed ||= mine;
      if (!mine) explain(job, { code: 'starting' });
    }
    for (const [jobId, cause] of decision.waiting) {
      const job = jobs.get(jobId);
      if (job?.state === 'queued') explain(job, cause);
    }
    armTimer(decision.nextChangeAt);
    return changed;
  };

  const explain = (job: Job, cause: Cause): void => {
    if (job.cause === cause || JSON.stringify(job.cause) === JSON.stringify(cause)) return;
    const explained = { ...job, cause };
    remember(explained);
    options.onJob(explained);
  };

  const armTimer = (nextChangeAt: number | undefined): void => {
    clearTimeout(changeTimer);
    const pauseMs = options.pauses.nextEndMs();
    const waits = [
      ...(nextChangeAt === undefined ? [] : [nextChangeAt - steady.now()]),
      ...(pauseMs === undefined ? [] : [pauseMs]),
    ];
    if (waits.length === 0 || stopped) return;
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(Math.min(...waits))));
    changeTimer = setTimeout(() => void scheduler.poke(), waitMs);
  };

  /** A cancelled job may have landed in that moment: its attempt says so when it leaves. */
  const isOver = (job: Job): boolean =>
    ENDED_STATES.includes(job.state) && (job.state !== 'cancelled' || attemptsOf(job.id).length === 0);

  /** Jobs that go on by themselves, among `open` or ahead of one of them; true where there are some. */
  const staysFor = (drain: Drain, open: readonly Job[]): boolean => {
    const { stay } = drain;
    if (!stay) return false;
    const left = new Set<Job>();
    for (const first of open) {
      const seen = new Set<string>();
      let job: Job | undefined = first;
      while (job && !seen.has(job.id)) {
        seen.add(job.id);
        if (stay.stays(job)) left.add(job);
        job = job.cause && 'jobId' in job.cause ? jobs.get(job.cause.jobId) : undefined;
      }
    }
    const said = JSON.stringify([...left].map(({ id, cause }) => [id, cause]));
    if (left.size > 0 && said !== drain.said) stay.onStay([...left]);
    drain.said = said;
    return left.size > 0;
  };

  const settleDrains = (): void => {
    const busy =
      watch.cause !== undefined ||
      attempts.size > 0 ||
      [...jobs.values()].some(
        (job) => job.state === 'running' || (job.state === 'queued' && PASSES.has(job.cause?.code ?? '')),
      );
    for (const drain of drains) {
      const open = [...jobs.values()].filter((job) => drain.concerns(job) && !isOver(job));
      if (open.length > 0 && busy) {
        drain.said = '';
        continue;
      }
      if (staysFor(drain, open)) continue;
      drains.delete(drain);
      drain.resolve();
    }
  };

  const beats = new Set<Promise<void>>();
  let takingOver: Promise<void> | undefined;
  /** One at a time: keeping a dead runner's work may take longer than a beat, and its jobs wait for that. */
  const takeOver = (): Promise<void> => {
    takingOver ??= takeOverNow().finally(() => {
      takingOver = undefined;
    });
    return takingOver;
  };
  const takeOverNow = async (): Promise<void> => {
    const { gone, hung } = await runner.lost();
    const lost = [...gone, ...hung];
    const jobs = lost.length === 0 ? [] : await store.jobs.ofRunners(lost);
    if (gone.length === 0 && jobs.length === 0) return;
    await options.recover(jobs, { gone, hung });
    await store.jobs.takeOver(gone, clock.now());
    await store.jobs.takeOver(hung, clock.now(), 'its process does not answer');
    // Last: whatever breaks off before is done again. A hung runner stays known, because it still holds its slots.
    for (const runnerId of gone) await store.runners.remove(runnerId);
  };

  /** What is not well with the store is told once, and again when it was well between. */
  let wasWell = true;
  const beat = async (): Promise<void> => {
    await runner.beat();
    const leases = [...attempts].map((attempt) => attempt.lease);
    for (const lease of await store.jobs.lost(leases)) {
      for (const attempt of attempts) if (attempt.lease === lease) attempt.controller.abort('lease-lost');
    }
    await takeOver();
    const health = await store.health();
    if (health !== undefined && wasWell) options.onProblem(new Error(health));
    wasWell = health === undefined;
    await scheduler.poke();
  };

  const scheduler: Scheduler = {
    async start() {
      await runner.register();
      await sync();
      await takeOver();
      await options.beforeFirstPass([...jobs.values()]);
      pollTimer = setInterval(() => {
        if (!store.changedElsewhere()) return;
        options.onElsewhere();
        void scheduler.poke();
      }, POLL_MS);
      beatTimer = setInterval(() => {
        const mine = beat()
          .catch(problem)
          .finally(() => beats.delete(mine));
        beats.add(mine);
      }, runner.heartbeatMs);
      await scheduler.poke();
    },
    poke() {
      if (pumping) {
        again = true;
        return pumping;
      }
      pumping = (async () => {
        do {
          again = false;
          await pass().catch(problem);
        } while (again);
      })().finally(() => {
        pumping = undefined;
      });
      return pumping;
    },
    job: (jobId) => jobs.get(jobId),
    jobs() {
      const place = new Map(admission.order().map((jobId, index) => [jobId, index]));
      return [...jobs.values()].sort(
        (a, b) => (place.get(a.id) ?? -1) - (place.get(b.id) ?? -1) || a.order - b.order,
      );
    },
    stopAttempt(jobId, reason) {
      for (const attempt of attemptsOf(jobId)) attempt.controller.abort(reason);
    },
    async drained(concerns, stay) {
      const { promise, resolve } = Promise.withResolvers<void>();
      drains.add({ concerns, stay, said: '', resolve });
      await scheduler.poke();
      await promise;
    },
    async stop() {
      stopped = true;
      watch.stop();
      clearInterval(pollTimer);
      clearInterval(beatTimer);
      clearTimeout(changeTimer);
      // Nothing of them may come after the store is closed.
      await Promise.all(beats);
      await pumping;
      for (const attempt of attempts) attempt.controller.abort('stopping');
      await Promise.all([...attempts].map((attempt) => attempt.done));
      await pumping;
    },
  };
  return scheduler;
}
