import { randomUUID } from 'node:crypto';
import type { Repository } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { ResolvedPolicy } from '../gate/policy/policy.ts';
import { policyEnvironment } from '../gate/policy/policy-environment.ts';
import { planReuse } from '../gate/reuse/plan-reuse.ts';
import type { GateOptions } from '../gate/run/run-gate.ts';
import { git, resolveCommit } from '../git/git.ts';
import type { JobPorts } from '../jobs/ports.ts';
import { agreed } from '../jobs/stages/prepare.ts';
import { openScratch } from '../jobs/stages/scratch.ts';
import type { Environment } from '../processes/environment.ts';
import type { Mirror } from '../slots/mirror/mirror.ts';
import type { ClaimedSlot } from '../slots/pool/claimed-slot.ts';

export type GateTarget = {
  repository: Repository;
  mirror: Mirror;
  /** What is verified. */
  commit: string;
  /** Where the commit left the base branch: the policy is the one that stands there. */
  base: string;
  policy: ResolvedPolicy;
};

/** A slot that holds the commit with its dependencies installed, until it is disposed of. */
export interface GateSpace extends AsyncDisposable {
  readonly slot: ClaimedSlot;
  readonly path: string;
  /** The whole environment of gate steps. */
  readonly env: Environment;
  /** Why dependencies could not be installed; then nothing can be verified. */
  readonly installFailure: string | undefined;
}

/**
 * The commit that `ref` names in the user's clone (default: what is checked out there) and the policy that decides about
 * it. Errors: `bad-input` (no such revision, policy that can't be read), `not-allowed` (commands nobody agreed to).
 */
export async function gateTarget(
  ports: JobPorts,
  request: { repository: Repository; ref?: string; override?: readonly string[]; trust?: boolean },
): Promise<GateTarget> {
  const { repository, ref = 'HEAD', override } = request;
  const commit =
    (await resolveCommit(repository.path, ref)) ??
    // A bare or unborn HEAD still has the base branch.
    (request.ref === undefined
      ? await resolveCommit(repository.path, `refs/heads/${repository.base}`)
      : undefined);
  if (commit === undefined) {
    throw new HeadwayError('bad-input', `${repository.path}: ${ref} (--ref) names no commit`, {
      data: { ref },
    });
  }
  const mirror = ports.pool.mirror(repository);
  await mirror.fetch();
  await mirror.ensureCommit(commit);
  const tip = await mirror.baseCommit(repository.base);
  if (tip === undefined) {
    throw new HeadwayError('bad-input', `${repository.path} has no branch ${repository.base} (--base)`);
  }
  const base = await forkPoint(mirror.path, tip, commit);
  const policy = await ports.policyAt(mirror, repository, base, override);
  if (request.trust) await ports.trust(repository, policy.hash);
  if (!(await agreed(policy, repository, ports))) {
    throw new HeadwayError(
      'not-allowed',
      `The commands of ${repository.name} changed since you agreed to them; look at them and say --trust: ${policy.commands.join(' · ')}`,
      { data: { commands: policy.commands, hash: policy.hash } },
    );
  }
  return { repository, mirror, commit, base, policy };
}

/** Unrelated histories have none: then the base's tip is what the commit is held against. */
async function forkPoint(cwd: string, tip: string, commit: string): Promise<string> {
  const { exit, stdout } = await git(['merge-base', tip, commit], { cwd, ok: [0, 1] });
  return exit === 0 && stdout.trim() !== '' ? stdout.trim() : tip;
}

/** Claims a slot for the target, checks the commit out and installs. Everything is given back on disposal. */
export async function openGateSpace(
  ports: JobPorts,
  target: GateTarget,
  options: { signal: AbortSignal; output?: (bytes: Uint8Array) => void; onWait?: (why: string) => void },
): Promise<GateSpace> {
  const { repository, commit, policy } = target;
  const id = `g-${randomUUID().slice(0, 8)}`;
  const scratch = await openScratch(ports.tempDir, id, 'gate');
  const env = policyEnvironment(policy, {
    ...scratch.env,
    HEADWAY_SESSION: id,
  });
  const onWait = options.onWait ?? (() => undefined);
  const claimed = ports.pool.claim({
    repository,
    use: 'gate',
    commit,
    plan: { caches: policy.caches, env, ...(policy.setup === undefined ? {} : { setup: policy.setup }) },
    holder: { sessionId: id },
    signal: options.signal,
    onWait,
  });
  const slot = await claimed.catch(async (thrown: unknown) => {
    await scratch[Symbol.asyncDispose]();
    throw thrown;
  });
  const release = async (): Promise<void> => {
    await slot[Symbol.asyncDispose]();
    await scratch[Symbol.asyncDispose]();
  };
  try {
    await slot.checkout(commit, `headway/${id}`);
    const installed = await slot.install({
      output: options.output ?? (() => undefined),
      signal: options.signal,
      onWait: () => onWait('another install runs'),
    });
    return {
      slot,
      path: slot.path,
      env: { ...env, ...slot.env },
      installFailure: installed.kind === 'failed' ? installed.why : undefined,
      [Symbol.asyncDispose]: release,
    };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

/** What lets a gate that takes nothing over from earlier runs find the kept caches of its steps. */
export async function withStepCaches(
  ports: JobPorts,
  { mirror, commit, base, policy }: GateTarget,
  space: GateSpace,
): Promise<Required<Pick<GateOptions, 'reuse' | 'stepCaches'>>> {
  const reuse = await planReuse({
    ...{ cwd: mirror.path, commit, base, policy, path: space.env.PATH },
    installedKey: space.slot.slot.installedKey,
    earlier: [],
    nowMs: ports.clock.now(),
  });
  return { reuse, stepCaches: space.slot.stepCaches };
}
