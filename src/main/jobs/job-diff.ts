import type { Job } from '../../shared/domain.ts';
import { git, resolveCommit } from '../git/git.ts';

const DEFAULT_LIMIT_BYTES = 400_000;

/** Unified diff of what a job's last attempt changed against its base. Empty where nothing was committed yet. */
export async function jobDiff(options: {
  mirrorPath: string;
  job: Job;
  baseCommit: string | undefined;
  limitBytes?: number;
}): Promise<{ diff: string; cut: boolean }> {
  const { mirrorPath, job, baseCommit } = options;
  if (job.commit === undefined || baseCommit === undefined) return { diff: '', cut: false };
  if ((await resolveCommit(mirrorPath, job.commit)) === undefined) return { diff: '', cut: false };
  const { stdout } = await git(
    ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '-M', `${baseCommit}...${job.commit}`, '--'],
    { cwd: mirrorPath },
  );
  const limit = options.limitBytes ?? DEFAULT_LIMIT_BYTES;
  return stdout.length > limit
    ? { diff: stdout.slice(0, stdout.lastIndexOf('\n', limit) + 1), cut: true }
    : { diff: stdout, cut: false };
}
