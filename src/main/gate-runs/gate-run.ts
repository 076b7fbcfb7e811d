import { dirname } from 'node:path';
import type { GateResult, GateStep, Repository, Verdict } from '../../shared/domain.ts';
import { withHiddenWork } from '../gate/audit/hidden-work.ts';
import { runGate, type StepState } from '../gate/run/run-gate.ts';
import { tamperedFiles } from '../gate/tampering/check-tampering.ts';
import type { JobPorts } from '../jobs/ports.ts';
import { unchangedInstall } from '../jobs/stages/unchanged-install.ts';
import { gateTarget, openGateSpace, withStepCaches } from './gate-space.ts';

export type GateRunRequest = {
  repository: Repository;
  ref?: string;
  override?: readonly string[];
  /** Agrees to the repository's commands as they are now. */
  trust?: boolean;
  signal: AbortSignal;
  output?: (bytes: Uint8Array) => void;
  onStep?: (step: GateStep, state: StepState) => void;
  onWait?: (why: string) => void;
};

/**
 * The gate's verdict on a commit of the user's clone, reached in a slot. Never throws for what the gate finds; errors as
 * of `gateTarget`, and `cancelled`.
 */
export async function gateRun(ports: JobPorts, request: GateRunRequest): Promise<GateResult> {
  const target = await gateTarget(ports, request);
  const { commit, base, policy } = target;
  const ended = (verdict: Verdict, reason: string): GateResult => ({
    verdict,
    reason,
    commit,
    steps: [],
    at: ports.clock.now(),
  });
  if (policy.gate.length === 0) {
    return ended('ungated', ['no gate step checks this repository', ...policy.notes].join('; '));
  }
  const touched = await tamperedFiles({ cwd: target.mirror.path, base, head: commit, policy });
  if (touched.length > 0) return ended('tampered', `changes what defines the gate: ${touched.join(', ')}`);
  await using space = await openGateSpace(ports, target, request);
  if (space.installFailure !== undefined) return ended('broken', `install failed: ${space.installFailure}`);
  // Awaited here: the slot is given back when this scope ends.
  const ran = await runGate({
    steps: policy.gate,
    cwd: space.path,
    env: space.env,
    commit,
    base,
    signal: request.signal,
    faucet: ports.gateSteps,
    generated: policy.generated,
    ...(await withStepCaches(ports, target, space)),
    ...(request.output ? { output: request.output } : {}),
    ...(request.onStep ? { onStep: request.onStep } : {}),
    now: ports.clock.now,
  });
  const result = await unchangedInstall(ran, policy, space.slot);
  // Nothing but the base's own code has run.
  if (commit === base) await space.slot.stepCaches.keep();
  return await withHiddenWork(result, {
    cwd: target.mirror.path,
    commit,
    clone: request.repository.path,
    policy,
    slotRoot: dirname(space.path),
    listIn: { cwd: space.path, env: space.env },
    signal: request.signal,
  });
}
