import type { Job } from '../../shared/domain.ts';

/** When the present stage began: the attempt's start and all stage time that is over. */
export function stageSinceAt(job: Job): number {
  const over = Object.values(job.stages).reduce((sum, ms) => sum + ms, 0);
  return (job.startedAt ?? job.queuedAt) + over;
}
