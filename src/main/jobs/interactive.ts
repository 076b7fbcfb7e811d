import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Job, Repository, Session } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import { CLAUDE_HINT } from '../agents/claude-code.ts';
import { policyEnvironment } from '../gate/policy/policy-environment.ts';
import { childEnvironment } from '../processes/environment.ts';
import { findProgram } from '../processes/find-program.ts';
import type { ClaimedSlot } from '../slots/pool/claimed-slot.ts';
import type { PtySession } from '../terminals/session-hub.ts';
import type { JobPorts } from './ports.ts';
import { keepWork, keptWork } from './saved/kept-work.ts';
import { commitWork } from './stages/job-commit.ts';
import { agreed } from './stages/prepare.ts';
import { openScratch, type Scratch } from './stages/scratch.ts';
import { newJob } from './submission/new-job.ts';

type OpenSession = {
  repository: Repository;
  base: string;
  slot: ClaimedSlot;
  pty: PtySession;
  /** The job whose work was taken over. */
  job: Job | undefined;
  scratch: Scratch;
};

export type OpenRequest = {
  repository: Repository;
  kind: 'shell' | 'claude';
  jobId?: string;
  cols: number;
  rows: number;
  /** The page that asks for it, if any. */
  opener?: object | undefined;
};

/**
 * Sessions that a person works in: a shell or `claude` on a pty in a claimed slot. Finished, their work goes through
 * gate and merge as a job; closed, it is kept under a ref and the slot given back.
 */
export interface InteractiveSessions {
  open(request: OpenRequest): Promise<Session>;
  finish(sessionId: string, title: string): Promise<Job>;
  close(sessionId: string): Promise<void>;
  resize(sessionId: string, cols: number, rows: number): void;
  stop(): Promise<void>;
}

function programOf(kind: 'shell' | 'claude'): { file: string; args: string[] } {
  if (kind === 'claude') return { file: 'claude', args: [] };
  if (process.platform === 'win32') return { file: process.env.COMSPEC ?? 'cmd.exe', args: [] };
  return { file: process.env.SHELL ?? '/bin/sh', args: [] };
}

export function createInteractiveSessions(ports: JobPorts): InteractiveSessions {
  const open = new Map<string, OpenSession>();

  const take = (sessionId: string): OpenSession => {
    const session = open.get(sessionId);
    if (!session) throw new HeadwayError('not-found', `There is no open session ${sessionId}.`);
    open.delete(sessionId);
    return session;
  };

  const giveBack = async ({ slot, scratch }: OpenSession): Promise<void> => {
    await slot[Symbol.asyncDispose]();
    await scratch[Symbol.asyncDispose]();
  };

  /** The job to go on with: held or ended, so that no attempt works on it at the same time. */
  const takenOver = async (jobId: string | undefined): Promise<Job | undefined> => {
    if (jobId === undefined) return undefined;
    const job = await ports.store.jobs.get(jobId);
    if (!job) throw new HeadwayError('not-found', `There is no job ${jobId}.`);
    if (job.state !== 'held' && job.state !== 'failed' && job.state !== 'cancelled') {
      throw new HeadwayError(
        'not-allowed',
        `${job.ticket.id} is ${job.state}; cancel or hold it before taking it over.`,
      );
    }
    return job;
  };

  return {
    async open({ repository, kind, jobId, cols, rows, opener }) {
      if (kind === 'claude' && !(await findProgram('claude', childEnvironment()))) {
        throw new HeadwayError('unavailable', `There is no claude here: ${CLAUDE_HINT}.`);
      }
      const job = await takenOver(jobId);
      const mirror = ports.pool.mirror(repository);
      await mirror.fetch();
      const base = await mirror.baseCommit(job?.base ?? repository.base);
      if (!base) throw new HeadwayError('bad-input', `${repository.path} has no branch ${repository.base}.`);
      const policy = await ports.policyAt(mirror, repository, base);
      if (!(await agreed(policy, repository, ports))) {
        throw new HeadwayError(
          'not-allowed',
          `The commands of ${repository.name} changed; agree to them first.`,
        );
      }
      const id = `s-${randomUUID().slice(0, 8)}`;
      const start = (job && (await keptWork(mirror.path, job.id))) ?? base;
      const scratch = await openScratch(ports.tempDir, id);
      const env = policyEnvironment(policy, { ...scratch.env, HEADWAY_SESSION: id });
      const claimed = ports.pool.claim({
        repository,
        commit: start,
        plan: { caches: policy.caches, env, ...(policy.setup === undefined ? {} : { setup: policy.setup }) },
        holder: { sessionId: id },
        signal: AbortSignal.timeout(10 * 60_000),
        onWait: () => undefined,
      });
      const slot = await claimed.catch(async (thrown: unknown) => {
        await scratch[Symbol.asyncDispose]();
        throw thrown;
      });
      try {
        await slot.checkout(start, `headway/${id}`);
        const installed = await slot.install({
          output: () => undefined,
          signal: AbortSignal.timeout(30 * 60_000),
          onWait: () => undefined,
        });
        if (installed.kind === 'failed')
          throw new HeadwayError('unavailable', `Install failed: ${installed.why}`);
        const pty = await ports.hub.openPty({
          id,
          kind,
          repoId: repository.id,
          ...(job ? { jobId: job.id } : {}),
          slotId: slot.slot.id,
          title: job
            ? `${job.ticket.id} ${job.ticket.title}`
            : `${kind}: ${repository.name} ${basename(slot.path)}`,
          command: programOf(kind),
          cwd: slot.path,
          env: { ...env, ...slot.env, TERM: 'xterm-256color' },
          cols,
          rows,
          opener,
        });
        open.set(id, { repository, base, slot, pty, job, scratch });
        return pty.session;
      } catch (thrown) {
        await slot[Symbol.asyncDispose]();
        await scratch[Symbol.asyncDispose]();
        throw thrown;
      }
    },

    async finish(sessionId, title) {
      const session = take(sessionId);
      const { slot, repository, base, pty, job: taken } = session;
      await pty.kill();
      const ticket = {
        id: sessionId,
        title,
        text: title,
        dependsOn: [],
        related: [],
        priority: 'interactive' as const,
      };
      const template = newJob(
        {
          repository,
          batchId: sessionId,
          user: ports.user,
          ticket,
          agent: 'person',
          claim: { kind: 'everything', why: 'a person worked on it' },
        },
        ports.clock.now(),
      );
      const job = taken ?? template;
      const { head, files } = await commitWork({ slotPath: slot.path, repository, base, job });
      if (files.length === 0) {
        await giveBack(session);
        throw new HeadwayError(
          'bad-input',
          'The session changed nothing: there is nothing to gate and merge.',
        );
      }
      await keepWork({
        slotPath: slot.path,
        mirror: ports.pool.mirror(repository),
        jobId: job.id,
        commit: head,
      });
      const change = { work: { base, head }, commit: head, files };
      const queued = taken
        ? await ports.store.jobs.transition(taken.id, ['held', 'failed', 'cancelled'], {
            ...change,
            state: 'queued',
            cause: undefined,
            endedAt: undefined,
            queuedAt: ports.clock.now(),
          })
        : (await ports.store.jobs.insert([{ ...template, ...change, key: sessionId }]))[0];
      await giveBack(session);
      ports.changed();
      if (!queued)
        throw new HeadwayError('conflict', `${job.ticket.id} changed meanwhile; its work is kept.`);
      return queued;
    },

    async close(sessionId) {
      const session = take(sessionId);
      await session.pty.kill();
      await session.slot.keep(`sessions/${sessionId}`);
      await giveBack(session);
    },

    resize(sessionId, cols, rows) {
      const session = open.get(sessionId);
      if (!session) throw new HeadwayError('not-found', `There is no open session ${sessionId}.`);
      session.pty.resize(cols, rows);
    },

    async stop() {
      await Promise.all([...open.keys()].map((sessionId) => this.close(sessionId)));
    },
  };
}
