import { randomUUID } from 'node:crypto';
import type { Claim, Job, Repository, Ticket } from '../../../shared/domain.ts';
import { toClaim } from '../../scheduling/claims.ts';
import type { NewJob } from '../../store/store.ts';

/** Back in the queue as it is, with the work that it has. */
export const queuedAgain = (now: number) =>
  ({ state: 'queued', cause: undefined, stage: undefined, queuedAt: now, endedAt: undefined }) as const;

/** What a reopened job looks like: judged by the files that it really changed, where it changed some. */
export function reopened(job: Job, repository: Repository, now: number): Partial<Job> {
  const changed =
    job.files.length > 0 ? toClaim(job.files, { root: repository.path, from: 'changed' }) : undefined;
  return {
    ...queuedAgain(now),
    verdict: undefined,
    work: undefined,
    approved: undefined,
    ...(changed && job.claim.kind === 'paths' && job.claim.from === 'declared'
      ? {}
      : changed
        ? { claim: changed }
        : {}),
  };
}

export type JobOrigin = {
  repository: Repository;
  base?: string | undefined;
  gate?: readonly string[] | undefined;
  batchId: string;
  user?: string | undefined;
  ticket: Ticket;
  agent: string;
  claim: Claim;
};

/** A job that has not run yet. */
export function newJob(origin: JobOrigin, now: number): Omit<NewJob, 'key'> {
  const { id, title, text, paths, dependsOn, related, priority, timeoutMs, agent } = origin.ticket;
  return {
    id: `j-${randomUUID().replaceAll('-', '').slice(0, 12)}`,
    repoId: origin.repository.id,
    ticket: { id, title, text, paths, dependsOn, related, priority, timeoutMs, agent },
    claim: origin.claim,
    agent: origin.agent,
    ...(origin.gate ? { gate: [...origin.gate] } : {}),
    base: origin.base ?? origin.repository.base,
    batchId: origin.batchId,
    ...(origin.user === undefined ? {} : { user: origin.user }),
    state: 'queued',
    attempts: 0,
    files: [],
    strayed: [],
    stages: {},
    createdAt: now,
    queuedAt: now,
    queuedMs: 0,
  };
}
