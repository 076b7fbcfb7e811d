import type { BreakKind, Finding, FindingKind } from '../../../shared/gate-report.ts';

const CAUSES: Readonly<Record<BreakKind, readonly FindingKind[]>> = {
  type: ['typecheck-empty', 'typecheck-leaves-out', 'no-typecheck', 'typecheck-off', 'step-cannot-fail'],
  lint: ['lint-leaves-out', 'lint-hides-warnings', 'step-cannot-fail'],
  import: ['typecheck-leaves-out', 'tests-never-run', 'step-cannot-fail'],
  assertion: [
    'tests-never-run',
    'slot-path-ignored',
    'passes-without-tests',
    'only-changed',
    'focused-tests',
    'step-cannot-fail',
  ],
  logic: ['tests-never-run', 'slot-path-ignored', 'focused-tests'],
  build: ['no-build', 'step-cannot-fail'],
};
const ROLE: Readonly<Partial<Record<BreakKind, RegExp>>> = {
  type: /\(typecheck\)/,
  lint: /\(lint\)/,
  assertion: /\(test\)/,
  logic: /\(test\)/,
};
const OTHERWISE: Readonly<Record<BreakKind, string>> = {
  type: 'no step reads this file as part of a program',
  lint: 'no step lints this file',
  import: 'no step loads or compiles this file',
  assertion: 'no step runs this test',
  logic: 'no test notices: its code is not covered, or not asserted upon',
  build: 'no step builds this file',
};

/** Pure: why a fault in `file` was missed, by what the audit found. */
export function likelyCause(kind: BreakKind, file: string, findings: readonly Finding[]): string {
  const fitting = findings.filter(
    (finding) =>
      CAUSES[kind].includes(finding.kind) ||
      (finding.kind === 'script-not-wired' && ROLE[kind]?.test(finding.title) === true),
  );
  const found =
    fitting.find(({ files }) => files.includes(file)) ??
    fitting.find(({ files }) => files.length === 0 || /package\.json$/.test(files[0] ?? ''));
  return found ? `${found.kind}: ${found.title}` : OTHERWISE[kind];
}
