import type { Job, Repository } from '../../shared/domain.ts';
import { resolveCommit } from '../git/git.ts';
import { changedFiles } from '../merge/changed-files.ts';
import { commitLeftovers } from '../merge/commit-leftovers.ts';
import { commitMessage } from '../merge/commit-message.ts';
import { readIdentity } from '../merge/identity.ts';

type Named = Pick<Job, 'id' | 'ticket' | 'agent'>;

/** Message of the commit that holds what an agent left uncommitted. */
function workMessage(job: Named): string {
  return commitMessage({ jobId: job.id, ticketId: job.ticket.id, title: job.ticket.title, agent: job.agent });
}

/** Message of the commit that joins a job's work with a base that moved. */
export function mergeMessage(job: Named & Pick<Job, 'base'>): string {
  return commitMessage(
    { jobId: job.id, ticketId: job.ticket.id, title: job.ticket.title, agent: job.agent },
    `Merged onto ${job.base}, which had moved since the work began.`,
  );
}

/** Paths that differ between two commits, each once. */
export async function changedPaths(cwd: string, base: string, head: string): Promise<string[]> {
  return [...new Set((await changedFiles({ cwd, base, head })).map((file) => file.path))];
}

/**
 * Commits what was left uncommitted in a slot on top of what was committed there. Returns where the work ends and the
 * paths that differ from the base; none: nothing was done. Throws where the work cannot be committed.
 */
export async function commitWork(options: {
  slotPath: string;
  repository: Repository;
  base: string;
  job: Named;
}): Promise<{ head: string; files: string[] }> {
  const { slotPath, base, job } = options;
  const identity = await readIdentity(options.repository.path);
  const left = await commitLeftovers({ cwd: slotPath, message: workMessage(job), identity });
  const head = left ?? (await resolveCommit(slotPath, 'HEAD')) ?? base;
  return { head, files: await changedPaths(slotPath, base, head) };
}
