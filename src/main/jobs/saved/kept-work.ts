import { resolveCommit } from '../../git/git.ts';
import type { Mirror } from '../../slots/mirror/mirror.ts';

/**
 * What attempts made, in the repository's mirror: no slot is needed to find it again, and nothing of it is in the user's
 * clone before it lands.
 */
const refOf = (jobId: string): string => `refs/headway/jobs/${jobId}`;

/** Puts a commit of a slot into the mirror under the job's ref, before anything else happens to it. */
export async function keepWork(options: {
  slotPath: string;
  mirror: Mirror;
  jobId: string;
  commit: string;
}): Promise<void> {
  await options.mirror.adopt(options.slotPath, options.commit, refOf(options.jobId));
}

/** The last commit that a job's attempts made; undefined where there is none. */
export function keptWork(mirrorPath: string, jobId: string): Promise<string | undefined> {
  return resolveCommit(mirrorPath, refOf(jobId));
}
