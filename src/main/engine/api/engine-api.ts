import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { explainJob } from '../../../shared/cause.ts';
import type { Snapshot } from '../../../shared/contract.ts';
import type { AgentInfo, Job, Repository } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Api, Handlers } from '../../../shared/rpc/server.ts';
import { readUserPolicy } from '../../gate/policy/user-policy.ts';
import { actOnJob, type JobAction } from '../../jobs/actions.ts';
import type { JobDiff } from '../../jobs/job-diff.ts';
import { slotPlanOf } from '../../jobs/stages/slot-plan-of.ts';
import type { Submission } from '../../jobs/submission/submission.ts';
import { chooseBase } from '../../repositories/base-branch.ts';
import { identify } from '../../repositories/identify.ts';
import { VERSION } from '../../settings/defaults.ts';
import type { EngineParts } from '../parts.ts';

const AGENTS_LOOK_MS = 10_000;

/**
 * The contract's requests, answered by the engine's parts. Nothing is decided here. What only some request needs is
 * loaded with its first call, so that a start does not wait for it.
 */
export function createApi(parts: EngineParts): Api {
  const { store, scheduler, repositories, pool, interactive, hub, bus } = parts;
  let agents: { found: Promise<AgentInfo[]>; at: number } | undefined;
  /** Looked for again where one is missing: a person may have installed it since. */
  const detected = async (): Promise<AgentInfo[]> => {
    const known = await agents?.found;
    const isSettled = known?.every(({ available }) => available) ?? false;
    if (!agents || (!isSettled && parts.now() - agents.at > AGENTS_LOOK_MS)) {
      const found = import('../../agents/registry.ts').then(({ detectAgents }) => detectAgents());
      agents = { found, at: parts.now() };
    }
    return agents.found;
  };

  const inspection = async (
    repository: Pick<Repository, 'id' | 'path' | 'name' | 'base' | 'trustedHash'>,
    notes: string[],
  ) => {
    const { inspect } = await import('../../repositories/inspect.ts');
    return inspect({ repository, notes, userPolicy: await readUserPolicy(parts.home.root, repository.id) });
  };

  // Large, and seldom needed: not part of a start.
  const auditing = () => import('../../gate-runs/gate-audit.ts');
  const auditOf = async ({ path, base }: Repository) => (await auditing()).auditPath(parts.home, path, base);

  const act =
    (action: JobAction) =>
    async ({ jobId, gateChange }: { jobId: string; gateChange?: string | undefined }): Promise<Job> => {
      const ports = {
        store,
        repository: repositories.get,
        now: parts.now,
        user: parts.jobPorts.user,
        changeHash: async (job: Job) => (await diffOf(parts, job)).hash,
      };
      const job = await actOnJob(action, jobId, ports, gateChange);
      if (action === 'cancel') scheduler.stopAttempt(jobId, 'cancelled');
      await scheduler.poke();
      return scheduler.job(jobId) ?? job;
    };

  const submission = (params: {
    repoId: string;
    files: readonly { name: string; text: string }[];
    agent?: string | undefined;
  }): Submission => ({
    repository: repositories.need(params.repoId),
    files: params.files.map(({ name, text }) => ({ name, bytes: text })),
    batchId: `b-${randomUUID().slice(0, 8)}`,
    ...(params.agent === undefined ? {} : { agent: params.agent }),
  });

  const keptPlace = (repository: Repository) => ({
    repository,
    mirror: pool.mirror(repository),
    jobs: scheduler.jobs().filter((job) => job.repoId === repository.id),
  });

  const handlers: Handlers = {
    'app.snapshot': async (): Promise<Snapshot> => {
      // Somebody looks: from now on there are gauges.
      parts.gauges.start();
      const found = await detected();
      return {
        seq: bus.seq,
        version: VERSION,
        platform: process.platform,
        home: parts.home.root,
        repositories: repositories.list(),
        jobs: scheduler.jobs(),
        queue: [...parts.queue.order()],
        slots: [...parts.slots.values()],
        sessions: hub.list(),
        settings: parts.settings.get(),
        agents: found,
        gauges: parts.gauges.last(),
      };
    },
    'repository.inspect': async ({ path, base }) => {
      assertWhole(path);
      const { notes, ...place } = await identify(path);
      const known = repositories.get(place.id);
      const chosen = base === undefined && known ? known.base : await chooseBase(place, base);
      return inspection({ ...place, ...known, base: chosen }, notes);
    },
    'repository.add': async ({ path, base }) => {
      assertWhole(path);
      const repository = await repositories.add(path, base);
      // To add it is to agree to the commands that were shown.
      if (repository.trustedHash !== undefined) return repository;
      return repositories.trust(repository, (await inspection(repository, [])).commandsHash);
    },
    'repository.remove': async ({ repoId }) => {
      repositories.need(repoId);
      const open = scheduler.jobs().filter((job) => job.repoId === repoId && job.state === 'running');
      if (open.length > 0) {
        throw new HeadwayError(
          'not-allowed',
          `${open.length} of its jobs run; cancel them or wait for them.`,
        );
      }
      for (const slot of [...parts.slots.values()]) if (slot.repoId === repoId) await pool.remove(slot.id);
      await repositories.remove(repoId);
      return {};
    },
    'repository.trust': async ({ repoId, hash }) => {
      const repository = await repositories.trust(repositories.need(repoId), hash);
      for (const job of scheduler.jobs()) {
        if (job.repoId === repoId && job.state === 'held' && job.cause?.code === 'needs-trust') {
          await act('release')({ jobId: job.id });
        }
      }
      return repository;
    },
    'sample.create': async () => {
      const { freshSampleDir, writeSample } = await import('../../sample/write-sample.ts');
      const { readTicketFiles } = await import('../../tickets/read-ticket-files.ts');
      const place = await writeSample(freshSampleDir(parts.home.samples));
      const repository = await handlers['repository.add']({ path: place.repository }, { kind: 'in-process' });
      const files = await readTicketFiles(place.tickets);
      return {
        repository,
        tickets: files.map(({ name, bytes }) => ({ file: name, text: Buffer.from(bytes).toString('utf8') })),
      };
    },
    'tickets.check': async (params) => {
      const { checkTickets } = await import('../../jobs/submission/submission.ts');
      const { checked, problems } = await checkTickets(submission(params), parts.submissionPorts);
      return {
        problems,
        tickets: checked.map(({ ticket, claim }) => ({
          id: ticket.id,
          title: ticket.title,
          claim: claim.kind === 'paths' ? claim.paths.join(', ') : `everything: ${claim.why}`,
        })),
      };
    },
    'tickets.submit': async (params) => {
      const { submitTickets } = await import('../../jobs/submission/submission.ts');
      const { jobs, notes } = await submitTickets(submission(params), parts.submissionPorts);
      await scheduler.poke();
      return { jobs: jobs.map((job) => scheduler.job(job.id) ?? job), notes };
    },
    'job.get': async ({ jobId }) => {
      const job = scheduler.job(jobId);
      if (!job) throw new HeadwayError('not-found', `There is no job ${jobId}.`);
      return {
        job,
        attempts: await store.jobs.attempts(jobId),
        why: explainJob(job),
      };
    },
    'job.diff': async ({ jobId, limitBytes }) => {
      const job = scheduler.job(jobId);
      if (!job) throw new HeadwayError('not-found', `There is no job ${jobId}.`);
      return diffOf(parts, job, limitBytes);
    },
    'job.cancel': act('cancel'),
    'job.reopen': act('reopen'),
    'job.hold': act('hold'),
    'job.release': act('release'),
    'gate.audit': async ({ repoId }) => auditOf(repositories.need(repoId)),
    'gate.fix': async ({ repoId, runs }) => {
      const repository = repositories.need(repoId);
      const { fixPolicy } = await auditing();
      const { file, added, hash, hashBefore } = await fixPolicy(parts.home, await auditOf(repository), runs);
      // The click is a yes to what it adds, not to what was not agreed to before.
      if (hash !== undefined && repository.trustedHash === hashBefore)
        await repositories.trust(repository, hash);
      return { file, added, audit: await auditOf(repository) };
    },
    'gate.accept': async ({ repoId, finding, reason, files }) => {
      const repository = repositories.need(repoId);
      const { acceptFinding } = await auditing();
      await acceptFinding(parts.home, repoId, { finding, reason, ...(files ? { files } : {}) });
      return auditOf(repository);
    },
    'gate.prove': ({ repoId, area }) => parts.proofs.start(repositories.need(repoId), area),
    'gate.cancelProof': ({ repoId }) => parts.proofs.cancel(repositories.need(repoId)),
    'gate.proof': ({ repoId }) => parts.proofs.state(repositories.need(repoId)),
    'kept.list': async ({ repoId }) => {
      const { listKept } = await import('../../jobs/saved/kept-list.ts');
      const wanted = repoId === undefined ? repositories.list() : [repositories.need(repoId)];
      const kept = await Promise.all(wanted.map((repository) => listKept(keptPlace(repository))));
      return { kept: kept.flat().sort((a, b) => b.at - a.at) };
    },
    'kept.recover': async ({ repoId, ref, branch }) => {
      const { recoverKept } = await import('../../jobs/saved/kept-list.ts');
      const place = keptPlace(repositories.need(repoId));
      return { branch, commit: await recoverKept(place, { ref, branch }, parts.audit) };
    },
    'kept.drop': async ({ repoId, ref }) => {
      const { dropKept } = await import('../../jobs/saved/kept-list.ts');
      await dropKept(keptPlace(repositories.need(repoId)), ref, parts.audit);
      return {};
    },
    'slots.warm': async ({ repoId, count }) => {
      const repository = repositories.need(repoId);
      return { slots: await pool.warm(repository, count, await slotPlanOf(repository, parts.jobPorts)) };
    },
    'slots.doctor': async ({ repoId, fix }) => {
      const repository = repoId === undefined ? undefined : repositories.need(repoId);
      const { examineSlotRoot } = await import('../../doctor/doctor.ts');
      return examineSlotRoot({
        root: parts.home.slots,
        ...(repository ? { repository } : {}),
        ...(fix === undefined ? {} : { fix }),
      });
    },
    'slot.rebuild': ({ slotId }) => pool.rebuild(slotId),
    'slot.remove': async ({ slotId }) => {
      await pool.remove(slotId);
      return {};
    },
    'session.open': ({ repoId, kind, jobId, cols, rows }, { page }) =>
      interactive.open({
        opener: page,
        repository: repositories.need(repoId),
        kind,
        cols,
        rows,
        ...(jobId === undefined ? {} : { jobId }),
      }),
    'session.finish': async ({ sessionId, title }) => {
      const job = await interactive.finish(sessionId, title);
      await scheduler.poke();
      return scheduler.job(job.id) ?? job;
    },
    'session.close': async ({ sessionId }) => {
      await interactive.close(sessionId);
      return {};
    },
    'session.resize': ({ sessionId, cols, rows }) => {
      hub.resize(sessionId, cols, rows);
      return {};
    },
    'settings.set': async (change) => {
      const settings = await parts.settings.set(change);
      await scheduler.poke();
      return settings;
    },
    'host.pickFolder': async () => {
      if (!parts.pickFolder) return { available: false };
      return { available: true, path: await parts.pickFolder() };
    },
    'host.openEditor': async ({ path }) => {
      const known = [...parts.slots.values(), ...repositories.list()].some((place) => place.path === path);
      if (!known)
        throw new HeadwayError('not-allowed', `${path} is neither a slot nor a registered repository.`);
      const { openInEditor } = await import('../../processes/editor.ts');
      await openInEditor(parts.settings.get().editor, path);
      return {};
    },
  };
  return {
    handlers,
    onEvent: (listener) => bus.listen(listener),
    attach: (sessionId, sink, page) => hub.attach(sessionId, sink, page),
    input: (sessionId, bytes, page) => hub.input(sessionId, bytes, page),
  };
}

/** What a job's last attempt changed against its base. */
export async function diffOf(parts: EngineParts, job: Job, limitBytes?: number): Promise<JobDiff> {
  const attempts = await parts.store.jobs.attempts(job.id);
  const { jobDiff } = await import('../../jobs/job-diff.ts');
  return jobDiff({
    mirrorPath: parts.pool.mirror(parts.repositories.need(job.repoId)).path,
    job,
    baseCommit: job.work?.base ?? attempts.at(-1)?.baseCommit,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });
}

/** Who asks from elsewhere has no working directory that a path could begin at. */
function assertWhole(path: string): void {
  if (isAbsolute(path) || path.startsWith('~')) return;
  throw new HeadwayError('bad-input', `${path}: is not a whole path; give one that begins with / or ~`, {
    data: { path },
  });
}
