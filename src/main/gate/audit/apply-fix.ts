import { type Document, isSeq, parseDocument } from 'yaml';
import type { GateStep } from '../../../shared/domain.ts';
import type { Finding } from '../../../shared/gate-report.ts';
import { STEP_TIMEOUT_MS } from '../policy/policy.ts';
import type { Acceptance } from './accept.ts';

/** Steps that the findings' fixes would add to the policy, without those that are there. */
export function stepsToAdd(
  findings: readonly Finding[],
  gate: readonly GateStep[],
): { name: string; run: string }[] {
  const there = new Set(gate.map(({ command }) => command));
  const added = new Map<string, { name: string; run: string }>();
  for (const { fix, accepted } of findings) {
    if (fix.kind !== 'policy' || accepted !== undefined) continue;
    for (const step of fix.addSteps) if (!there.has(step.run)) added.set(step.run, step);
  }
  return [...added.values()];
}

/**
 * Pure: the text of the user's policy file with the steps added. A gate there replaces the repository's, so the steps
 * that decide now come first. Comments and other keys stay.
 */
export function policyWithSteps(
  text: string | undefined,
  gate: readonly GateStep[],
  added: readonly { name: string; run: string }[],
): string {
  const document: Document = parseDocument(text ?? '');
  const own = document.get('gate');
  const plain = (step: { name: string; run: string }): unknown =>
    step.name === step.run && Object.keys(step).length === 2 ? step.run : step;
  if (isSeq(own)) for (const step of added) own.add(document.createNode(plain(step)));
  else {
    const current = gate.map(({ command, timeoutMs, ...step }) =>
      plain({
        ...step,
        run: command,
        ...(timeoutMs === STEP_TIMEOUT_MS ? {} : { timeout: `${timeoutMs}ms` }),
      }),
    );
    document.set('gate', document.createNode([...current, ...added.map(plain)]));
  }
  return document.toString({ lineWidth: 0 });
}

/** Pure: the text of the user's policy file with a finding accepted. */
export function policyWithAcceptance(text: string | undefined, acceptance: Acceptance): string {
  const document: Document = parseDocument(text ?? '');
  const own = document.get('accept');
  const entry = document.createNode({
    finding: acceptance.finding,
    reason: acceptance.reason,
    ...(acceptance.files ? { files: [...acceptance.files] } : {}),
  });
  if (isSeq(own)) own.add(entry);
  else document.set('accept', document.createNode([entry]));
  return document.toString({ lineWidth: 0 });
}
