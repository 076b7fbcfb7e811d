import { createHash } from 'node:crypto';
import type { Job } from '../../shared/domain.ts';
import { git, resolveCommit } from '../git/git.ts';

const DEFAULT_LIMIT_BYTES = 400_000;

export type JobDiff = { diff: string; cut: boolean; hash: string };

/** What a person names who has seen exactly this diff, all of it. */
const hashOf = (diff: string): string => createHash('sha256').update(diff).digest('hex').slice(0, 16);
const NOTHING: JobDiff = { diff: '', cut: false, hash: hashOf('') };

/** Unified diff of what a job's last attempt changed against its base. Empty where nothing was committed yet. */
export async function jobDiff(options: {
  mirrorPath: string;
  job: Job;
  baseCommit: string | undefined;
  limitBytes?: number;
}): Promise<JobDiff> {
  const { mirrorPath, job, baseCommit } = options;
  if (job.commit === undefined || baseCommit === undefined) return NOTHING;
  if ((await resolveCommit(mirrorPath, job.commit)) === undefined) return NOTHING;
  const { stdout } = await git(
    ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '-M', `${baseCommit}...${job.commit}`, '--'],
    { cwd: mirrorPath },
  );
  const limit = options.limitBytes ?? DEFAULT_LIMIT_BYTES;
  const hash = hashOf(stdout);
  return stdout.length > limit
    ? { diff: stdout.slice(0, stdout.lastIndexOf('\n', limit) + 1), cut: true, hash }
    : { diff: stdout, cut: false, hash };
}
