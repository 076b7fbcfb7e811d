import type { Job, StageTimes } from './domain.ts';

/** When the present stage began: the attempt's start and all stage time that is over. */
export function stageSinceAt(job: Job): number {
  const over = Object.values(job.stages).reduce((sum, ms) => sum + ms, 0);
  return (job.startedAt ?? job.queuedAt) + over;
}

/** What each stage took so far: also the one that a running job is in, which its record has only when it ends. */
export function stagesSoFar(job: Job, nowMs: number): StageTimes {
  if (job.state !== 'running' || job.stage === undefined) return job.stages;
  const open = Math.max(0, nowMs - stageSinceAt(job));
  return { ...job.stages, [job.stage]: (job.stages[job.stage] ?? 0) + open };
}
