import { dirname } from 'node:path';
import type { Repository } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { Proof } from '../../shared/gate-report.ts';
import { withAccepted } from '../gate/prove/proof-lack.ts';
import { gateThread } from '../gate/thread/gate-thread.ts';
import { git } from '../git/git.ts';
import type { JobPorts } from '../jobs/ports.ts';
import { proofKeyAt, releaseProven } from '../jobs/stages/proof-demand.ts';
import { gateTarget, openGateSpace, withStepCaches } from './gate-space.ts';

export type GateProveRequest = {
  repository: Repository;
  /** Areas or files to prove, as a glob; default: all. */
  area?: string;
  trust?: boolean;
  signal: AbortSignal;
  onProgress?: (text: string) => void;
};

/**
 * Breaks the base branch's tip on purpose in a slot and records which breaks its gate catches. Errors as of `gateTarget`;
 * `cancelled`, `unavailable` where dependencies can't be installed, `not-allowed` where there is no gate.
 */
export async function gateProve(ports: JobPorts, request: GateProveRequest): Promise<Proof> {
  const { repository, signal } = request;
  const target = await gateTarget(ports, { ...request, ref: `refs/heads/${repository.base}` });
  const { commit, policy } = target;
  if (policy.gate.length === 0) {
    throw new HeadwayError(
      'not-allowed',
      `${repository.name} is ungated: there is no step that could catch anything.`,
    );
  }
  await using space = await openGateSpace(ports, target, {
    signal,
    ...(request.onProgress ? { onWait: request.onProgress } : {}),
  });
  if (space.installFailure !== undefined) {
    throw new HeadwayError('unavailable', `install failed, so no gate can run: ${space.installFailure}`);
  }
  const before = await stateOf(space.path);
  const restored = async (): Promise<boolean> => (await stateOf(space.path)) === before;
  const proving = {
    objects: target.mirror.path,
    commit,
    clone: repository.path,
    policy,
    slotRoot: dirname(space.path),
    cwd: space.path,
    env: space.env,
    reuse: (await withStepCaches(ports, target, space)).reuse,
    ...(request.area === undefined ? {} : { only: request.area }),
  };
  const { onProgress } = request;
  const result = await gateThread
    .ask('prove', proving, { signal, onProgress })
    .catch(async (thrown: unknown) => {
      if (!signal.aborted) throw thrown;
      throw new HeadwayError('cancelled', `The proof was cancelled; ${restoredWords(await restored())}.`);
    });
  const proof: Proof = {
    path: repository.path,
    repoId: repository.id,
    commit,
    key: await proofKeyAt(ports, repository, commit, policy),
    at: ports.clock.now(),
    ...result,
    cells: withAccepted(result.cells, policy.accept),
    restored: await restored(),
  };
  // A proof of one area says nothing about the others.
  if (request.area === undefined) {
    await ports.store.proofs.put(proof);
    await releaseProven(ports, repository);
  }
  return proof;
}

/** What became of the broken files. */
export const restoredWords = (restored: boolean): string =>
  restored ? 'the tree is as it was' : 'the tree is NOT as it was, its slot is reset before it is used again';

/** The content of every tracked file as one hash, with what git calls changed. */
async function stateOf(cwd: string): Promise<string> {
  const [status, diff] = await Promise.all([
    git(['status', '--porcelain', '-z', '--untracked-files=no', '--ignore-submodules=dirty'], { cwd }),
    git(['diff', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--binary', 'HEAD', '--'], {
      cwd,
    }),
  ]);
  return `${status.stdout}\0${diff.stdout}`;
}

/** The key that a proof must have to hold now. */
export async function currentProofKey(ports: JobPorts, repository: Repository): Promise<string | undefined> {
  const mirror = ports.pool.mirror(repository);
  await mirror.fetch();
  const commit = await mirror.baseCommit(repository.base);
  if (commit === undefined) return undefined;
  const policy = await ports.policyAt(mirror, repository, commit);
  return proofKeyAt(ports, repository, commit, policy);
}
