import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Repository, Session, Settings, Slot } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import type { Api } from '../../shared/rpc/server.ts';
import { createAuditEntries, createAuditLog } from '../audit/audit-log.ts';
import { readUserPolicy } from '../gate/policy/user-policy.ts';
import { createBaseVerdicts } from '../gate-runs/base-verdicts.ts';
import { createProofSchedule } from '../gate-runs/proof-schedule.ts';
import { createProofs } from '../gate-runs/proofs.ts';
import { createHardwareSampler } from '../hardware/sampler.ts';
import { type HeldTiming, watchHeld } from '../jobs/held/watch-held.ts';
import { createInteractiveSessions } from '../jobs/interactive.ts';
import { endProcessesOf, endProcessesOfRunner } from '../jobs/job-processes.ts';
import type { JobPorts } from '../jobs/ports.ts';
import { type LookTiming, watchPullRequests } from '../jobs/pull-requests/watch-pull-requests.ts';
import { removeTempDir, sweepTempDirs, tempDirOf } from '../jobs/stages/temp-dirs.ts';
import type { SubmissionPorts } from '../jobs/submission/submission.ts';
import { createAccountPauses } from '../limits/account-pauses.ts';
import { CallLimiter } from '../limits/call-limiter.ts';
import { StepFaucet } from '../limits/step-faucet.ts';
import { userSettings } from '../own-home/user-settings.ts';
import { osUser } from '../processes/os-user.ts';
import { secretsNamed, secretsOf } from '../redaction/known-secrets.ts';
import { createTextRedactor } from '../redaction/redaction.ts';
import { createRepositoryRegistry } from '../repositories/registry.ts';
import { createRunner, type RunnerTiming } from '../runners/runner.ts';
import { createScheduler } from '../scheduling/scheduler.ts';
import { type Home, prepareHome, resolveHome } from '../settings/home.ts';
import { createSettings } from '../settings/settings.ts';
import { createSlotPool } from '../slots/pool/pool.ts';
import { redactingStore } from '../store/redacting-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { createSessionHub } from '../terminals/session-hub.ts';
import { createAccountOfJob } from './account-of-job.ts';
import { createApi } from './api/engine-api.ts';
import { auditChanges } from './audit-changes.ts';
import { createEventBus, type EventBus } from './events.ts';
import { followChanges } from './follow-changes.ts';
import { createGaugePump } from './gauges.ts';
import { guardApi } from './guard-api.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createQueueEvents } from './job-events.ts';
import type { EngineParts } from './parts.ts';
import { createPolicyCaps } from './policy-caps.ts';

export type EngineOptions = {
  home?: Home;
  /** Limits of this process alone, e.g. `--max`; the stored settings stay. */
  overrides?: Partial<Settings>;
  /** The only repository whose queued jobs count and are executed here, e.g. for `headway run`; default: all. */
  onlyRepoId?: string;
  /** Look and explain, but execute nothing. */
  watchOnly?: boolean;
  /** While it says so, no job is started here; whoever lets go pokes the scheduler. */
  holdsBack?: () => boolean;
  /** How often this process says that it lives, and after which silence another one counts as hung. */
  timing?: RunnerTiming;
  /** How often pull requests are looked at that jobs wait for. */
  pullRequestLooks?: LookTiming;
  /** How often what holds jobs from outside is looked at. */
  heldLooks?: HeldTiming;
  onProblem?: (error: Error) => void;
  pickFolder?: () => Promise<string | undefined>;
};

/** What the doors (window, web, command line) hold: one engine with one API. */
export interface Engine {
  readonly api: Api;
  readonly home: Home;
  readonly parts: EngineParts;
  /** Takes over what a dead process left, and starts the pump; once. A request waits for it, and begins it if nobody has. */
  recover(): Promise<void>;
  /** Puts running jobs back, releases leases and slots, ends every process. Safe to call twice. */
  stop(): Promise<void>;
}

// Not `performance.now()`: its module takes longer to load than the store takes to open.
const clock = { now: () => Date.now(), monotonic: () => Number(process.hrtime.bigint()) / 1e6 };

/** An engine that has recovered. Throws as `openStoredEngine` does, and what the recovery failed with. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const engine = await openStoredEngine(options);
  try {
    await engine.recover();
  } catch (thrown) {
    await engine.stop();
    throw thrown;
  }
  return engine;
}

/**
 * The composition root: the store is open, and nothing is executed before `recover`. Throws `unavailable` where the data
 * directory cannot be used.
 */
export async function openStoredEngine(options: EngineOptions = {}): Promise<Engine> {
  const home = options.home ?? resolveHome();
  const secrets = secretsOf(process.env);
  const redact = createTextRedactor(secrets);
  const entries = createAuditEntries({ redact, user: osUser(), now: clock.now });
  const store = redactingStore(openSqliteStore(home.database, auditChanges(entries)), redact);
  prepareHome(home);
  const audit = createAuditLog({
    records: store.audit,
    entries,
    onProblem: (thrown) => problem(thrown),
  });
  const withoutSecrets = (thrown: unknown): Error => new Error(redact.text(toError(thrown).message));
  const problem = (thrown: unknown): void => {
    const error = withoutSecrets(thrown);
    options.onProblem?.(error);
    bus.emit('notice', { level: 'error', text: error.message, at: clock.now() });
  };
  const bus = createEventBus((thrown) => options.onProblem?.(withoutSecrets(thrown)));
  const queue = createQueueEvents(bus);
  const settings = await createSettings(
    store,
    (changed) => bus.emit('settings.changed', changed),
    options.overrides,
  );
  const repositories = createRepositoryRegistry({
    store,
    now: clock.now,
    onChange: (repository) => bus.emit('repository.changed', repository),
    onRemoved: (repoId) => bus.emit('repository.removed', { repoId }),
  });
  await repositories.load();
  const runner = createRunner(store, clock, options.timing);
  const slots = new Map<string, Slot>((await store.slots.list()).map((slot) => [slot.id, slot]));
  const pool = createSlotPool({
    root: home.slots,
    records: store.slots,
    runnerId: runner.id,
    isRunnerAlive: (runnerId) => runner.exists(runnerId),
    clock: clock.now,
    maxInstalls: () => settings.get().maxInstalls,
    redact: redact.text,
    diskBudgetBytes: () => settings.get().slotDiskBytes,
    onEvicted: (slot, why) =>
      bus.emit('notice', { level: 'info', text: `Slot ${slot.id} is ${why}.`, at: clock.now() }),
    onLeft: ({ path, why }) =>
      bus.emit('notice', { level: 'info', text: `${path} stays in the trash: ${why}`, at: clock.now() }),
    onChange: (slot) => {
      slots.set(slot.id, slot);
      bus.emit('slot.changed', slot);
    },
    onRemoved: (slotId) => {
      slots.delete(slotId);
      bus.emit('slot.removed', { slotId });
    },
  });
  const hub = createSessionHub({
    dir: home.transcripts,
    clock,
    runnerId: runner.id,
    secrets: () => secrets,
    onProblem: (text) => problem(new Error(text)),
    onChange: (session: Session) => {
      bus.emit('session.changed', redact.value(session));
      store.sessions.put(session).catch(problem);
    },
  });
  const others = followChanges({
    store,
    bus,
    repositories,
    settings,
    slots,
    hub,
    runner,
    onProblem: (thrown) => problem(thrown),
  });
  await others.refreshSessions();

  const policyCaps = createPolicyCaps();
  const accountOfJob = createAccountOfJob();
  const accounts = createAccountPauses({
    document: store.shared('paused accounts'),
    clock,
    changed: () => void scheduler.poke(),
  });
  const jobPorts: JobPorts = {
    store,
    pool,
    hub,
    clock,
    runnerId: runner.id,
    accounts,
    forge: new CallLimiter(store.shared('calls to source control'), runner.id),
    user: osUser(),
    gateSteps: new StepFaucet(() => settings.get().maxGateSteps),
    settings: settings.get,
    repository: (repoId) => repositories.get(repoId),
    trust: (repository: Repository, hash: string) => repositories.trust(repository, hash),
    policyAt: async (mirror, repository, commit, override) => {
      const { policyAt } = await import('../gate/policy/commit-files.ts');
      const policy = await policyAt({
        cwd: mirror.path,
        commit,
        userPolicy: await readUserPolicy(home.root, repository.id),
        ...(override ? { override } : {}),
      });
      policyCaps.note(repository.id, policy.caps.jobs);
      accountOfJob.note(repository.id, policy.env);
      // What a person gives to setup and gate may be printed by them.
      const given = [
        ...[policy.env, ...policy.gate.map((step) => step.env ?? {})].flatMap(secretsOf),
        ...secretsNamed(policy.passEnv, process.env),
      ];
      secrets.push(...given.filter((secret) => !secrets.includes(secret)));
      return policy;
    },
    inFlight: (job) =>
      scheduler
        .jobs()
        .filter((other) => other.state === 'running' && other.repoId === job.repoId && other.id !== job.id),
    nextChange: (signal, timeoutMs) => nextJobChange(bus, signal, timeoutMs),
    tempDir: tempDirOf(home.temp, runner.id),
    baseVerdicts: createBaseVerdicts(() => jobPorts),
    slotsDir: home.slots,
    changed: () => void scheduler.poke(),
  };
  const concerns = (job: Job): boolean =>
    options.onlyRepoId === undefined || job.repoId === options.onlyRepoId;
  const scheduler = createScheduler({
    store,
    runner,
    clock,
    caps: () => {
      const { maxJobs: machine, maxJobsPerRepository: repository, maxJobsPerUser: user } = settings.get();
      return { machine, repository, repositories: policyCaps.get(), ...(user === undefined ? {} : { user }) };
    },
    accountOf: accountOfJob.of,
    pauses: accounts,
    concerns,
    accepts: () => options.watchOnly !== true && options.holdsBack?.() !== true,
    // The pipeline is large and a start without jobs does not need it.
    execute: async (job, lease, signal) => {
      const { runAttempt } = await import('../jobs/attempt.ts');
      // Another process may have registered it, or agreed to its commands.
      await repositories.refresh();
      await runAttempt(job, lease, signal, jobPorts);
    },
    beforeFirstPass: async (jobs) => {
      // While no agent of ours has run that could write into them.
      await Promise.all([policyCaps.load(jobs, jobPorts), userSettings().catch(problem)]);
    },
    recover: async (lost, { gone, hung }) => {
      for (const runnerId of hung) for (const job of lost) await endProcessesOf(job.id, runnerId);
      for (const runnerId of gone) await endProcessesOfRunner(runnerId);
      if (gone.length === 0) return;
      await jobPorts.forge.forget(gone);
      await pool.recover();
      await sweepTempDirs(home.temp, async () =>
        (await store.runners.list()).flatMap(({ id }) => (gone.includes(id) ? [] : id)),
      );
      // What it showed has ended with it, which could not be seen while it was dying.
      await others.refreshSessions();
    },
    onJob: queue.changed,
    onExplained: queue.explained,
    onOrder: (jobIds) => {
      queue.ordered(jobIds);
      proofSchedule?.look();
      pullRequests?.look();
      heldJobs?.look();
    },
    onElsewhere: others.soon,
    onProblem: problem,
  });
  const interactive = createInteractiveSessions(jobPorts);
  const proofs = createProofs(jobPorts, (state) => bus.emit('proof.changed', state));
  // Those who look, or run one batch and go, have no idle time.
  const proofSchedule =
    options.watchOnly || options.onlyRepoId !== undefined
      ? undefined
      : createProofSchedule({
          jobs: () => scheduler.jobs(),
          repository: (repoId) => repositories.get(repoId),
          proofs,
          onProblem: problem,
        });
  // As above: a batch says that it waits, and goes.
  const pullRequests =
    options.watchOnly || options.onlyRepoId !== undefined
      ? undefined
      : watchPullRequests({
          jobs: () => scheduler.jobs(),
          ports: jobPorts,
          timing: options.pullRequestLooks,
          onProblem: problem,
        });
  const heldJobs = options.watchOnly
    ? undefined
    : watchHeld({
        jobs: () => scheduler.jobs(),
        concerns,
        ports: jobPorts,
        timing: options.heldLooks,
        onProblem: problem,
      });
  const submissionPorts: SubmissionPorts = {
    store,
    mirror: (repository) => pool.mirror(repository),
    hubsAt: async (repository, commit) => {
      const policy = await jobPorts.policyAt(pool.mirror(repository), repository, commit);
      return policy.hubs.length > 0 ? policy.hubs : undefined;
    },
    settings: settings.get,
    user: jobPorts.user,
    now: clock.now,
  };
  const gauges = createGaugePump({
    sampler: createHardwareSampler(),
    jobs: () => scheduler.jobs(),
    slots: () => [...slots.values()],
    sessions: () => hub.list(),
    limit: () => settings.get().maxJobs,
    now: clock.now,
    onSample: (sample) => bus.emit('gauges.sampled', sample),
  });
  const parts: EngineParts = {
    home,
    store,
    audit,
    bus,
    queue,
    pool,
    hub,
    runner,
    scheduler,
    repositories,
    interactive,
    proofs,
    jobPorts,
    submissionPorts,
    slots,
    settings,
    gauges,
    pickFolder: options.pickFolder,
    now: clock.now,
  };
  let recovering: Promise<void> | undefined;
  const recover = (): Promise<void> => {
    recovering ??= scheduler.start();
    return recovering;
  };
  // Those who only look leave the disk alone.
  const stopHousekeeping = options.watchOnly
    ? undefined
    : startHousekeeping({
        transcripts: home.transcripts,
        hub,
        pool,
        settings: settings.get,
        now: clock.now,
        onProblem: problem,
      });
  let stopping: Promise<void> | undefined;
  return {
    api: guardApi(createApi(parts), { redact, through: entries.through, ready: recover }),
    home,
    parts,
    recover,
    stop() {
      stopping ??= (async () => {
        await recovering?.catch(() => undefined); // whoever called `recover` is told
        await Promise.all([stopHousekeeping?.(), others.stop(), pullRequests?.stop(), heldJobs?.stop()]);
        await stopParts(parts);
      })();
      return stopping;
    },
  };
}

async function stopParts(parts: EngineParts): Promise<void> {
  parts.gauges.stop();
  await parts.scheduler.stop();
  await parts.interactive.stop();
  await parts.proofs.stop();
  await parts.hub.close();
  await parts.pool.close();
  await removeTempDir(parts.home.temp, parts.runner.id);
  // Last: until now it held slots and temp directories that another process must not take for a dead one's. Where it could not
  // record that it left a slot, the runner stays on the list: the next process finds it dead and takes the slot over.
  if (!(await holdsSlots(parts))) await parts.runner.unregister();
  await parts.store[Symbol.asyncDispose]();
}

async function holdsSlots({ store, runner }: EngineParts): Promise<boolean> {
  return (await store.slots.list()).some(
    ({ runnerId, state }) => runnerId === runner.id && state !== 'ready' && state !== 'quarantined',
  );
}

function nextJobChange(bus: EventBus, signal: AbortSignal, timeoutMs: number): Promise<void> {
  const changed = new AbortController();
  const stop = bus.listen((event) => {
    if (event.name === 'job.changed') changed.abort();
  });
  return delay(timeoutMs, undefined, { signal: AbortSignal.any([signal, changed.signal]) })
    .catch(() => signal.throwIfAborted())
    .finally(stop);
}
