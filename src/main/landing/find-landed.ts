import { JOB_TRAILER } from '../git/commit-message.ts';
import { git } from '../git/git.ts';

/**
 * The newest commit on the base that carries the job's trailer: after a crash it tells whether the merge happened.
 * `since` (a commit that the job started from) bounds the search.
 */
export async function findLanded(
  repository: { path: string },
  base: string,
  jobId: string,
  since?: string,
): Promise<string | undefined> {
  const { exit, stdout } = await git(
    [
      'log',
      '--topo-order',
      '--fixed-strings',
      `--grep=${JOB_TRAILER}: ${jobId}`,
      `--format=%H %(trailers:key=${JOB_TRAILER},valueonly,separator=%x1f)`,
      '--end-of-options',
      `refs/heads/${base}`,
      ...(since === undefined ? [] : [`^${since}`]),
    ],
    { cwd: repository.path, ok: [0, 128] },
  );
  if (exit !== 0) return undefined;
  for (const line of stdout.split('\n')) {
    const [commit = '', ...values] = line.split(/[ \x1f]/);
    if (values.includes(jobId)) return commit;
  }
  return undefined;
}
