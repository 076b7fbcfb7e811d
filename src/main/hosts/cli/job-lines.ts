import { explainCause } from '../../../shared/cause.ts';
import type { Attempt, Job } from '../../../shared/domain.ts';
import { stagesSoFar } from '../../../shared/stage-times.ts';

const reasonOf = (job: Job): string | undefined => (job.cause ? explainCause(job.cause).text : undefined);

/** A change of a job as one line of `--json`. */
export function jobEvent(job: Job, at: number) {
  return {
    type: 'job',
    job: job.id,
    ticket: job.ticket.id,
    state: job.state,
    stage: job.stage ?? null,
    reason: reasonOf(job) ?? null,
    cause: job.cause ?? null,
    at,
  };
}

/** A job in the summary that ends `--json`. */
export function jobSummary(job: Job, last?: Attempt, nowMs: number = Date.now()) {
  return {
    job: job.id,
    ticket: job.ticket.id,
    title: job.ticket.title,
    state: job.state,
    verdict: job.verdict ?? null,
    reason: reasonOf(job) ?? null,
    cause: job.cause ?? null,
    attempts: job.attempts,
    branch: job.branch ?? null,
    commit: job.commit ?? null,
    files: job.files,
    strayed: job.strayed,
    notes: last?.notes ?? [],
    drift: last?.drift ?? [],
    stages: stagesSoFar(job, nowMs),
    queuedMs: job.queuedMs,
    usage: job.usage ?? null,
  };
}

/** What a row of a table says of a job. */
export function jobCells(job: Job): [string, string, string] {
  const where = job.state === 'running' ? `running ${job.stage ?? ''}`.trim() : job.state;
  const strayed = job.strayed.length > 0 ? `wrote outside its paths: ${job.strayed.join(', ')}` : '';
  return [job.ticket.id, where, [reasonOf(job) ?? '', strayed].filter((text) => text !== '').join('; ')];
}
