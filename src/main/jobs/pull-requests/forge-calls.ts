import type { Repository } from '../../../shared/domain.ts';
import type { ForgeCalls } from '../../landing/forge/gh.ts';
import type { CallLimiter } from '../../limits/call-limiter.ts';
import { marksOf } from '../job-processes.ts';

export type ForgePorts = { forge: CallLimiter; runnerId: string };

/** How a job calls the service of its repository: in turn with every other call, and findable after a crash. */
export const forgeCalls = (
  repository: Repository,
  jobId: string,
  signal: AbortSignal,
  { forge, runnerId }: ForgePorts,
): ForgeCalls => ({ limiter: forge, cwd: repository.path, signal, marks: marksOf(runnerId, jobId) });
