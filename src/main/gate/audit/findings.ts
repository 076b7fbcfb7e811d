import type { Finding } from '../../../shared/gate-report.ts';
import { commandFindings } from './command-findings.ts';
import type { Facts } from './facts.ts';
import { lintFindings } from './lint-findings.ts';
import { narrowedRuns } from './narrowing.ts';
import { proposedSteps } from './proposals.ts';
import { scriptFindings } from './script-findings.ts';
import { testFindings } from './test-findings.ts';
import { typecheckFindings } from './typecheck-findings.ts';

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Pure: everything that the gate leaves out, the worst first. */
export function auditFindings(facts: Facts): Finding[] {
  const findings: Finding[] = [];
  const proposed = proposedSteps(facts);
  if (facts.policy.gate.length === 0) {
    findings.push({
      kind: 'ungated',
      severity: 'error',
      title: 'nothing checks this repository',
      files: [],
      why: `no step decides about it, so nothing of it is ever merged${facts.policy.notes.map((note) => `; ${note}`).join('')}`,
      fix:
        proposed.length === 0
          ? { kind: 'advice', text: 'name steps in headway.yaml or in your own policy' }
          : {
              kind: 'policy',
              text: `add ${proposed.map(({ run }) => `\`${run}\``).join(', ')}`,
              addSteps: proposed,
            },
      hidesWork: true,
    });
  }
  if (facts.policy.gate.length > 0) {
    for (const step of proposed) {
      findings.push({
        kind: 'script-not-wired',
        severity: 'warning',
        title: `nothing runs ${step.name}`,
        files: [],
        why: 'what it would find gets through',
        fix: { kind: 'policy', text: `add the step \`${step.run}\``, addSteps: [step] },
        hidesWork: false,
      });
    }
  }
  findings.push(
    ...commandFindings(facts),
    ...typecheckFindings(facts),
    ...testFindings(facts),
    ...narrowedRuns(facts),
    ...lintFindings(facts),
    ...scriptFindings(facts),
  );
  return findings.sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}
