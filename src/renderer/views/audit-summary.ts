import type { Finding } from '../../shared/gate-report.ts';

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Pure: what is accepted goes last, the rest by how much it matters; otherwise the audit's own order. */
export function orderFindings(findings: readonly Finding[]): readonly Finding[] {
  const rank = (finding: Finding): number =>
    finding.accepted === undefined ? RANK[finding.severity] : RANK.info + 1;
  return [...findings].sort((a, b) => rank(a) - rank(b));
}

/** Pure: command lines that one click may add to the person's own policy. */
export const wireable = (findings: readonly Finding[]): readonly string[] => [
  ...new Set(
    findings.flatMap(({ accepted, fix }) =>
      accepted === undefined && fix.kind === 'policy' ? fix.addSteps.map(({ run }) => run) : [],
    ),
  ),
];

/** Pure: the audit in one line. */
export function auditSummary(findings: readonly Finding[]): string {
  const open = findings.filter(({ accepted, severity }) => accepted === undefined && severity !== 'info');
  const hiding = open.filter(({ hidesWork }) => hidesWork).length;
  const accepted = findings.filter((finding) => finding.accepted !== undefined).length;
  const parts = [
    open.length === 0 ? 'nothing to mend' : `${open.length} ${open.length === 1 ? 'finding' : 'findings'}`,
    hiding > 0 ? `${hiding} ${hiding === 1 ? 'hides' : 'hide'} work, so the gate is not called green` : '',
    accepted > 0 ? `${accepted} accepted` : '',
  ];
  return parts.filter(Boolean).join('; ');
}
