import type { Finding } from '../../../shared/gate-report.ts';
import { isSource, isToolFile } from './areas.ts';
import type { Facts } from './facts.ts';

/** Sources that the gate's linters leave out. */
export function lintFindings(facts: Facts): Finding[] {
  const { lints } = facts.gate;
  if (lints.length === 0 || lints.some(({ unread }) => unread !== undefined)) return [];
  const reasons = new Map<string, number>();
  const files = facts.files.filter((path) => {
    if (!isSource(path) || isToolFile(path)) return false;
    const why = lints.map((lint) => lint.whyNot(path));
    if (why.includes(undefined)) return false;
    const reason = `${lints[0]?.label}: ${why[0]}`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    return true;
  });
  if (files.length === 0) return [];
  const all = facts.files.filter((path) => isSource(path) && !isToolFile(path)).length;
  const nothing = files.length === all;
  return [
    {
      kind: 'lint-leaves-out',
      severity: nothing ? 'error' : 'warning',
      title: nothing
        ? `${lints[0]?.label}: 0 source files linted`
        : `${files.length} source file${files.length === 1 ? ' is' : 's are'} not linted`,
      files: files.sort(),
      why: [...reasons].map(([reason, count]) => `${count}: ${reason}`).join('; '),
      fix: { kind: 'advice', text: 'lint them, or accept it in the policy with a reason' },
      // A linter that leaves some out is a matter of taste; one that reads nothing is no check.
      hidesWork: nothing,
    },
  ];
}
