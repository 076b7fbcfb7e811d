import type { Job, Repository } from '../../../shared/domain.ts';
import { resolveCommit } from '../../git/git.ts';
import type { ForgeCalls } from '../../landing/forge/gh.ts';
import { type PullRequest, pullRequestsOf } from '../../landing/forge/pull-request.ts';
import { isAncestor } from '../../landing/merge-onto.ts';
import { held } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import { type ForgePorts, forgeCalls } from './forge-calls.ts';

export type FindPorts = ForgePorts & Pick<JobPorts, 'store' | 'repository'>;

/** Where the pull request of a job's finished work stands. */
export type Found =
  /** On the user's base, as this commit. */
  { kind: 'on-base'; commit: string } | { kind: 'open' | 'merged' | 'closed'; url: string };

/** Looks at the user's base first, and then asks the service. Undefined: the job has no pull request of its work. */
export async function findPullRequest(
  job: Job,
  signal: AbortSignal,
  ports: FindPorts,
): Promise<Found | undefined> {
  const repository = ports.repository(job.repoId);
  if (!repository || job.work === undefined) return undefined;
  const { head } = job.work;
  const made = (await ports.store.effects.ofJob(job.id)).findLast(
    ({ kind, state, data }) => kind === 'pull-request' && state === 'done' && data.commit === head,
  );
  if (!made) return undefined;
  const url = String(made.data.url);
  if (await isOnBase(repository, job, head)) return { kind: 'on-base', commit: head };
  const request = await look(String(made.data.branch), url, forgeCalls(repository, job.id, signal, ports));
  const merged = request?.mergeCommit?.oid;
  if (merged !== undefined && (await isOnBase(repository, job, merged)))
    return { kind: 'on-base', commit: merged };
  if (request?.state === 'CLOSED') return { kind: 'closed', url };
  return { kind: request?.state === 'MERGED' ? 'merged' : 'open', url };
}

/**
 * Whether the pull request of a job's finished work is on the user's base by now: the commit that it is there. Undefined:
 * the job has none, so its attempt goes on. Throws `held` while it waits for a person, so that no slot is taken for it.
 */
export async function findMergedPullRequest(
  job: Job,
  signal: AbortSignal,
  ports: FindPorts,
): Promise<string | undefined> {
  const found = await findPullRequest(job, signal, ports);
  if (!found) return undefined;
  if (found.kind === 'on-base') return found.commit;
  const { url } = found;
  if (found.kind === 'closed') {
    throw held(
      { code: 'merge-refused', why: `the pull request was closed without a merge: ${url}` },
      job.work,
    );
  }
  throw held({ code: 'awaits-pull-request', url, merged: found.kind === 'merged' }, job.work);
}

async function isOnBase(repository: Repository, job: Job, commit: string): Promise<boolean> {
  if ((await resolveCommit(repository.path, commit)) === undefined) return false;
  return isAncestor(repository.path, commit, `refs/heads/${job.base}`);
}

/** What the service says of it; undefined where it cannot be asked now, which changes nothing. */
async function look(branch: string, url: string, calls: ForgeCalls): Promise<PullRequest | undefined> {
  const found = await pullRequestsOf(branch, calls).catch(() => []);
  calls.signal.throwIfAborted();
  return found.find((request) => request.url === url);
}
