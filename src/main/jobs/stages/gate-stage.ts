import { dirname } from 'node:path';
import type { GateResult } from '../../../shared/domain.ts';
import { planReuse } from '../../gate/reuse/plan-reuse.ts';
import { runGate } from '../../gate/run/run-gate.ts';
import { tamperedFiles } from '../../gate/tampering/check-tampering.ts';
import { matchesAny } from '../../paths/globs.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { failed, held } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import { type AttemptSpace, attemptEnvironment } from './agent-stage.ts';
import { blameBase } from './base-stage.ts';
import { rememberTree } from './judged-tree.ts';
import type { Prepared } from './prepare.ts';
import { unchangedInstall } from './unchanged-install.ts';

export type Verified = { base: string; head: string };

/**
 * Lets the gate judge the tree of `head`, which stands in the slot. Policy and steps are those of the base commit. Only
 * green returns; every other verdict ends the attempt.
 */
export async function gateStage(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  { base, head }: Verified,
  ports: Pick<JobPorts, 'gateSteps' | 'clock' | 'baseVerdicts'>,
): Promise<void> {
  const { policy } = prepared;
  const work = { base, head };
  await record.enter('gate');
  if (policy.gate.length === 0) {
    await record.gate({
      verdict: 'ungated',
      reason: 'no gate step checks this repository',
      commit: head,
      steps: [],
      at: ports.clock.now(),
    });
    throw held({ code: 'ungated' }, work);
  }
  const touched = await tamperedFiles({ cwd: space.slot.path, base, head, policy });
  if (touched.length > 0 && !record.job.approved) {
    await record.gate({
      verdict: 'tampered',
      reason: `changes what defines the gate: ${touched.join(', ')}`,
      commit: head,
      steps: [],
      at: ports.clock.now(),
    });
    throw held({ code: 'tampered', files: touched }, work);
  }
  const changedSince = await rememberTree(space.slot.path);
  const env = { ...attemptEnvironment(record.job, record.lease, policy, space.scratch), ...space.slot.env };
  const reuse = await planReuse({
    ...{ cwd: space.slot.path, commit: head, base, policy, path: env.PATH },
    installedKey: space.slot.slot.installedKey,
    // A change of the gate itself, which a person let through, is judged by every step.
    earlier: touched.length > 0 ? [] : await record.gates(),
    nowMs: ports.clock.now(),
  });
  const ran = await runGate({
    steps: policy.gate,
    cwd: space.slot.path,
    env,
    commit: head,
    base,
    signal: space.signal,
    now: ports.clock.now,
    faucet: ports.gateSteps,
    generated: policy.generated,
    reuse,
    stepCaches: space.slot.stepCaches,
    output: (bytes) => space.pane.write(bytes),
    redact: space.pane.redact,
  });
  space.signal.throwIfAborted();
  const proved = await unchangedInstall(ran, policy, space.slot);
  if (proved.verdict === 'green') {
    const changed = (await changedSince()).filter((file) => !matchesAny(file, policy.generated));
    if (changed.length > 0) {
      const why = `it changed what it judged: ${changed.slice(0, 5).join(', ')}; let it check only, or name them as generated`;
      await record.gate({ ...ran, verdict: 'vacuous', reason: why });
      throw held({ code: 'vacuous', step: 'gate', why }, work);
    }
  }
  // Large, and needed only where the steps themselves are green.
  const { withHiddenWork } = await import('../../gate/audit/hidden-work.ts');
  const result = await withHiddenWork(proved, {
    cwd: space.slot.path,
    commit: head,
    clone: prepared.repository.path,
    policy,
    slotRoot: dirname(space.slot.path),
    listIn: { cwd: space.slot.path, env },
    signal: space.signal,
  });
  space.signal.throwIfAborted();
  await record.gate(result);
  if (result.verdict === 'red' || result.verdict === 'broken') {
    const step = result.steps.at(-1)?.name ?? 'gate';
    await blameBase(record, prepared, { step, work, signal: space.signal }, ports);
  }
  endUnlessGreen(result, work);
}

function endUnlessGreen(result: GateResult, work: Verified): void {
  if (result.verdict === 'green') return;
  const last = result.steps.at(-1);
  const step = last?.name ?? 'gate';
  const why = last?.reason ?? result.reason;
  switch (result.verdict) {
    case 'vacuous':
      // Each step is green, but not what they prove together.
      if (last?.verdict === 'green') {
        const whole = result.reason.startsWith('audit:') ? 'audit' : 'gate';
        throw held({ code: 'vacuous', step: whole, why: result.reason }, work);
      }
      throw held({ code: 'vacuous', step, why }, work);
    case 'ungated':
      throw held({ code: 'ungated' }, work);
    case 'tampered':
      throw held({ code: 'tampered', files: [] }, work);
    case 'red':
      throw failed({ code: 'gate-red', step, why });
    case 'broken':
      throw failed({ code: 'gate-broken', step, why });
    default:
      result.verdict satisfies never;
  }
}
