import type { Cause } from '../../shared/cause.ts';
import type { Job, JobState, Repository } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { JobChange, Store } from '../store/store.ts';
import { reopened } from './submission/new-job.ts';

export type JobAction = 'cancel' | 'reopen' | 'hold' | 'release';

/** From which states a person may do what. */
const ALLOWED: Record<JobAction, readonly JobState[]> = {
  cancel: ['queued', 'running', 'held'],
  reopen: ['held', 'failed', 'cancelled'],
  hold: ['queued'],
  release: ['held'],
};

/** Releasing a job that changes its own gate, or that the policy does not merge by itself, is the person's yes. */
const APPROVES: readonly Cause['code'][] = ['tampered', 'needs-approval', 'needs-proof', 'base-red'];

function changeFor(
  action: JobAction,
  job: Job,
  repository: Repository,
  { now, by }: { now: number; by: string | undefined },
): JobChange {
  switch (action) {
    case 'cancel':
      return {
        state: 'cancelled',
        cause: { code: 'cancelled-by-person', by },
        stage: undefined,
        endedAt: now,
      };
    case 'hold':
      return { state: 'held', cause: { code: 'held-by-person', by } };
    case 'reopen':
      return reopened(job, repository, now);
    case 'release':
      return {
        state: 'queued',
        cause: undefined,
        queuedAt: now,
        endedAt: undefined,
        ...(job.cause && APPROVES.includes(job.cause.code) ? { approved: true } : {}),
      };
    default:
      return action satisfies never;
  }
}

/** Does what a person asked for, or says why it cannot be done in the job's state. */
export async function actOnJob(
  action: JobAction,
  jobId: string,
  ports: {
    store: Store;
    repository(repoId: string): Repository | undefined;
    now(): number;
    /** Who asks; undefined: not known. */
    user: string | undefined;
    /** Hash of the diff that would be let through. */
    changeHash(job: Job): Promise<string>;
  },
  /** Hash of the diff that the person has seen and approves, where it changes the gate. */
  gateChange?: string | undefined,
): Promise<Job> {
  const job = await ports.store.jobs.get(jobId);
  if (!job) throw new HeadwayError('not-found', `There is no job ${jobId}.`);
  const repository = ports.repository(job.repoId);
  if (!repository)
    throw new HeadwayError('not-found', `The repository of job ${jobId} is no longer registered.`);
  if (action === 'release' && job.state === 'held' && job.cause?.code === 'tampered')
    assertApproved(job, gateChange, await ports.changeHash(job));
  const from = ALLOWED[action];
  const done = await ports.store.jobs.transition(
    jobId,
    from,
    changeFor(action, job, repository, { now: ports.now(), by: ports.user }),
    action,
  );
  if (done) return done;
  throw new HeadwayError(
    'not-allowed',
    `${job.ticket.id} is ${job.state}; ${action} is for jobs that are ${from.join(' or ')}.`,
  );
}

/** A change of the gate is let through by a yes to exactly this change, never by the way. */
function assertApproved(job: Job, gateChange: string | undefined, hash: string): void {
  if (gateChange === hash) return;
  const { id } = job.ticket;
  throw new HeadwayError(
    'not-allowed',
    gateChange === undefined
      ? `${id} changes its own gate: see its diff, then approve that gate change. Nothing is released.`
      : `${id} has another diff than the one that was approved: see it, then approve that gate change.`,
  );
}
