import type { Job } from '../../../shared/domain.ts';
import { changedFiles } from '../../git/changed-files.ts';
import { strayed } from './collect.ts';
import type { Prepared } from './prepare.ts';

/**
 * The files that an attempt changed which ended before its work was collected (the agent failed, ran out of time, was
 * cancelled), as far as they were saved under `keptRef`: when the job is reopened, it is judged by what it touched and not by its
 * prose. Undefined: nothing was saved, or what was collected says it already.
 */
export async function savedFiles(
  job: Job,
  prepared: Prepared,
  keptRef: string | undefined,
): Promise<Pick<Job, 'files' | 'strayed'> | undefined> {
  if (job.work || keptRef === undefined) return undefined;
  const changed = await changedFiles({
    cwd: prepared.mirror.path,
    base: prepared.baseCommit,
    head: keptRef,
  }).catch(() => []);
  const files = [...new Set(changed.map(({ path }) => path))];
  return files.length === 0 ? undefined : { files, strayed: await strayed(job, files, prepared) };
}
