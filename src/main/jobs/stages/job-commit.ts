import type { Job, Repository } from '../../../shared/domain.ts';
import { changedFiles } from '../../git/changed-files.ts';
import {
  agentIdentity,
  type CommitPolicy,
  type CommitText,
  commitMessage,
  trailers,
} from '../../git/commit-message.ts';
import { readIdentity } from '../../git/user-identity.ts';
import { collectWork } from '../../landing/collect-work.ts';

type Named = Pick<Job, 'id' | 'ticket' | 'agent' | 'usage'>;

const textOf = (job: Named): CommitText => ({
  jobId: job.id,
  ticketId: job.ticket.id,
  title: job.ticket.title,
  agent: job.agent,
  ...(job.usage?.costUsd === undefined ? {} : { costUsd: job.usage.costUsd }),
});

/** Message of the commit that joins a job's work with a base that moved. */
export function mergeMessage(job: Named & Pick<Job, 'base'>, policy: CommitPolicy): string {
  return commitMessage(textOf(job), `Merged onto ${job.base}, which had moved since the work began.`, policy);
}

/** What a pull request of the job says: title and text. */
export function pullRequestText(job: Named, policy: CommitPolicy): { title: string; body: string } {
  const [title = '', ...rest] = commitMessage(textOf(job), undefined, policy).split('\n');
  return { title, body: rest.join('\n').trim() };
}

/** Paths that differ between two commits, each once. */
async function changedPaths(cwd: string, base: string, head: string): Promise<string[]> {
  return [...new Set((await changedFiles({ cwd, base, head })).map((file) => file.path))];
}

/**
 * Collects what was done in a slot into commits on top of its base. Returns where the work ends and the paths that differ
 * from the base; none: nothing was done. Throws where the work cannot be committed.
 */
export async function commitWork(options: {
  slotPath: string;
  repository: Repository;
  base: string;
  job: Named;
  /** Default: what Headway does where no policy speaks of commits. */
  policy?: CommitPolicy;
}): Promise<{ head: string; files: string[] }> {
  const { slotPath, base, job, policy } = options;
  const text = textOf(job);
  const head = await collectWork({
    cwd: slotPath,
    base,
    message: commitMessage(text, undefined, policy),
    trailers: trailers(text, policy),
    identity: await readIdentity(options.repository.path),
    ...(policy?.author === 'agent' ? { author: agentIdentity(job.agent) } : {}),
  });
  return head === undefined
    ? { head: base, files: [] }
    : { head, files: await changedPaths(slotPath, base, head) };
}
