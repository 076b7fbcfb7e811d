import type { Job, Repository } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import type { ResolvedPolicy } from '../../gate/policy/policy.ts';
import { decideTrust } from '../../gate/policy/trust.ts';
import type { Mirror } from '../../slots/mirror/mirror.ts';
import { failed, held, retry } from '../ending.ts';
import type { JobPorts } from '../ports.ts';

export type Prepared = { repository: Repository; mirror: Mirror; baseCommit: string; policy: ResolvedPolicy };

/**
 * Finds out where an attempt begins: the base as it is now, and the policy that this base carries. Setup and gate
 * commands that the repository brings run only after a person agreed to exactly these.
 */
export async function prepare(job: Job, ports: JobPorts, signal: AbortSignal): Promise<Prepared> {
  const repository = ports.repository(job.repoId);
  if (!repository) throw failed({ code: 'internal', why: 'its repository is no longer registered' });
  const mirror = ports.pool.mirror(repository);
  await fetchMirror(mirror, signal);
  const baseCommit = await mirror.baseCommit(job.base);
  if (!baseCommit) {
    throw held(
      { code: 'base-missing', base: job.base, why: `no such branch in ${repository.path}` },
      job.work,
    );
  }
  return {
    repository,
    mirror,
    baseCommit,
    policy: await trustedPolicy(job, repository, mirror, baseCommit, ports),
  };
}

/** What the user's clone holds now. */
const fetchMirror = (mirror: Mirror, signal: AbortSignal): Promise<void> =>
  fetched(mirror.fetch(signal), signal);

/** One commit of the user's clone, where the mirror does not have it yet: the work of other jobs it has. */
export const fetchCommit = (mirror: Mirror, commit: string, signal: AbortSignal): Promise<void> =>
  fetched(mirror.ensureCommit(commit, signal), signal);

/** A failure may be over soon (a pruned pack, a full disk, a lock). */
async function fetched(fetching: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await fetching;
  } catch (thrown) {
    signal.throwIfAborted();
    throw retry({ code: 'fetch-failed', why: toError(thrown).message });
  }
}

/** The policy at a base commit, after the check that a person agreed to its commands. */
export async function trustedPolicy(
  job: Job,
  repository: Repository,
  mirror: Mirror,
  baseCommit: string,
  ports: JobPorts,
): Promise<ResolvedPolicy> {
  let policy: ResolvedPolicy;
  try {
    policy = await ports.policyAt(mirror, repository, baseCommit, job.gate);
  } catch (thrown) {
    throw failed({ code: 'gate-broken', step: 'policy', why: toError(thrown).message });
  }
  if (await agreed(policy, repository, ports)) return policy;
  throw held({ code: 'needs-trust', commands: [...policy.commands], hash: policy.hash }, job.work);
}

/** Whether a person agreed to what the repository would run here; to be asked first is a yes to what is shown then. */
export async function agreed(
  policy: ResolvedPolicy,
  repository: Repository,
  ports: JobPorts,
): Promise<boolean> {
  // Commands given with the submission are the person's own; of the repository's then only the setup runs. What of the
  // person's own environment it may see is for them to say, too.
  const foreign =
    policy.source === 'override'
      ? policy.setup !== undefined || policy.passEnv.length > 0
      : policy.commands.length > 0;
  if (!foreign) return true;
  const decision = decideTrust({
    hash: policy.hash,
    trustedHash: ports.repository(repository.id)?.trustedHash,
    shown: true,
  });
  if (decision.kind === 'agree') await ports.trust(repository, decision.hash);
  return decision.kind !== 'needs-yes';
}
