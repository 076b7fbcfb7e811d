import { isDeepStrictEqual } from 'node:util';
import type { Repository } from '../../../shared/domain.ts';
import type { ProofLack } from '../../../shared/gate-report.ts';
import type { ResolvedPolicy } from '../../gate/policy/policy.ts';
import { policyEnvironment } from '../../gate/policy/policy-environment.ts';
import { proofKey } from '../../gate/prove/proof-key.ts';
import { proofLack } from '../../gate/prove/proof-lack.ts';
import { gateDefinition } from '../../gate/tampering/gate-definition.ts';
import type { JobPorts } from '../ports.ts';
import { queuedAgain } from '../submission/new-job.ts';

/** The key that a proof must have to hold for a commit of the repository under this policy. */
export async function proofKeyAt(
  ports: JobPorts,
  repository: Repository,
  commit: string,
  policy: ResolvedPolicy,
): Promise<string> {
  const plan = {
    caches: policy.caches,
    env: policyEnvironment(policy),
    ...(policy.setup === undefined ? {} : { setup: policy.setup }),
  };
  return proofKey({
    gate: policy.gate,
    policyHash: policy.hash,
    definition: await gateDefinition({ cwd: ports.pool.mirror(repository).path, commit, policy }),
    installedKey: await ports.pool.dependencyKey(repository, commit, plan),
  });
}

/** What the newest proof lacks for a policy that wants one before it merges by itself; undefined: nothing, or it wants none. */
export async function lackOfProof(
  ports: JobPorts,
  repository: Repository,
  commit: string,
  policy: ResolvedPolicy,
): Promise<ProofLack | undefined> {
  const wanted = policy.merge.proof;
  if (!wanted) return undefined;
  const proof = await ports.store.proofs.latest(repository.id);
  return proofLack(proof, {
    ...wanted,
    key: proof && (await proofKeyAt(ports, repository, commit, policy)),
    accept: policy.accept,
    nowMs: ports.clock.now(),
  });
}

/**
 * Looks again at the jobs of a repository that wait for a proof: those that have it now are queued, and land with the work that
 * they have; the others say what it lacks now.
 */
export async function releaseProven(ports: JobPorts, repository: Repository): Promise<void> {
  for (const job of await ports.store.jobs.changedSince(0)) {
    if (job.repoId !== repository.id || job.state !== 'held' || job.cause?.code !== 'needs-proof') continue;
    const mirror = ports.pool.mirror(repository);
    await mirror.fetch();
    const commit = await mirror.baseCommit(job.base);
    if (commit === undefined) continue;
    const policy = await ports.policyAt(mirror, repository, commit, job.gate);
    const lack = await lackOfProof(ports, repository, commit, policy);
    if (isDeepStrictEqual(lack, job.cause.lack)) continue;
    await ports.store.jobs.transition(
      job.id,
      ['held'],
      lack ? { cause: { code: 'needs-proof', lack } } : queuedAgain(ports.clock.now()),
    );
  }
  ports.changed();
}
