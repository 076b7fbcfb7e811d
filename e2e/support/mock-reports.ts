import type { KeptWork, ProofState } from '../../src/shared/contract.ts';
import type { DoctorReport } from '../../src/shared/doctor.ts';
import { HeadwayError } from '../../src/shared/errors.ts';
import type { Audit, Finding, Proof, ProofCell } from '../../src/shared/gate-report.ts';
import type { Handlers } from '../../src/shared/rpc/server.ts';
import { REPOSITORY } from './mock-data.ts';

/** What the engine reports about gate, slots and kept work, as data that tests may replace. */
export type Reports = { audit: Audit; proof: ProofState; doctor: DoctorReport; kept: KeptWork[] };

const COMMIT = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const examples = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `examples/reader-${index + 1}.test.ts`);

const FINDINGS: Finding[] = [
  {
    kind: 'pipe-needs-bash',
    severity: 'info',
    title: 'step lint pipes into another program',
    files: [],
    why: 'without bash the exit code is that of the last program',
    fix: { kind: 'advice', text: 'let the linter write its report by itself' },
    hidesWork: false,
  },
  {
    kind: 'script-not-wired',
    severity: 'warning',
    title: 'the script test:browser is in no step',
    files: ['package.json'],
    why: 'it could turn red and nothing would notice',
    fix: {
      kind: 'policy',
      text: 'add the step `npm run test:browser`',
      addSteps: [{ name: 'test:browser', run: 'npm run test:browser' }],
    },
    hidesWork: false,
  },
  {
    kind: 'typecheck-empty',
    severity: 'error',
    title: 'types: 0 source files checked; use tsc -b',
    files: ['src/index.ts', 'src/parse/quoted.ts'],
    why: 'tsconfig.json names no file of its own and only refers to other projects, which tsc follows with -b alone',
    fix: {
      kind: 'policy',
      text: 'add the step `npx tsc -b`',
      addSteps: [{ name: 'tsc -b', run: 'npx tsc -b' }],
    },
    hidesWork: true,
  },
  {
    kind: 'tests-never-run',
    severity: 'error',
    title: '12 test files are picked up by no runner of the gate',
    files: examples(12),
    why: 'they can be wrong and the gate stays green: node --test looks below test/ alone',
    fix: {
      kind: 'patch',
      text: 'let the runner look below examples/ too',
      patch:
        '--- a/package.json\n+++ b/package.json\n@@ -9,1 +9,1 @@\n-    "test": "node --test test/"\n+    "test": "node --test test/ examples/"\n',
    },
    hidesWork: true,
  },
  {
    kind: 'lint-leaves-out',
    severity: 'warning',
    title: '1 source is not linted',
    files: ['scripts/release.js'],
    why: 'eslint ignores scripts/',
    fix: { kind: 'advice', text: 'take scripts/ out of the ignored paths' },
    hidesWork: false,
    accepted: 'release scripts are tried by hand',
  },
];

const cell = (area: string, kind: ProofCell['break'], result: ProofCell['result'], rest = {}): ProofCell => ({
  area,
  break: kind,
  file: result === 'not-applicable' ? '' : `${area}/index.ts`,
  edit: result === 'not-applicable' ? '' : `a ${kind} error was put in`,
  result,
  ...rest,
});

const PROOF: Proof = {
  path: REPOSITORY.path,
  repoId: REPOSITORY.id,
  commit: COMMIT,
  key: 'key-1',
  at: Date.now() - 7_400_000,
  ms: 190_000,
  gateRuns: 9,
  provable: true,
  reason: '7 of 8 breaks caught',
  restored: true,
  cells: [
    cell('src/parse', 'type', 'caught', { step: 'types', ms: 3100 }),
    cell('src/parse', 'lint', 'caught', { step: 'lint', ms: 2200 }),
    cell('src/parse', 'import', 'caught', { step: 'types', ms: 3100 }),
    cell('src/parse', 'logic', 'caught', { step: 'test', ms: 14_000 }),
    cell('src/parse', 'build', 'not-applicable', { why: 'no step builds it' }),
    cell('src/dialects', 'type', 'caught', { step: 'types', ms: 3000 }),
    cell('src/dialects', 'lint', 'caught', { step: 'lint', ms: 2100 }),
    cell('src/dialects', 'logic', 'missed', { why: 'no test reaches this line' }),
    cell('test', 'assertion', 'caught', { step: 'test', ms: 13_700 }),
    cell('test', 'build', 'not-applicable', { why: 'tests are not built' }),
  ],
};

const DOCTOR: DoctorReport = {
  root: '/home/ada/.local/share/headway/slots',
  platform: 'linux',
  at: Date.now(),
  findings: [
    { id: 'volume', title: 'Volume of the slots', status: 'ok', found: 'ext4 on /home (/dev/nvme0n1p3)' },
    {
      id: 'watches',
      title: 'File watches',
      status: 'problem',
      found: '8192 for this user; six slots with a watcher each need some 60000',
      cost: 'a dev server in a slot stops noticing changes',
      remedy: 'raise the limit until the next start of the machine, or for good in /etc/sysctl.d',
      fix: {
        command: 'sudo sysctl -w fs.inotify.max_user_watches=524288',
        elevated: true,
        startable: false,
      },
    },
    {
      id: 'store',
      title: 'Package store',
      status: 'problem',
      found: 'the store of pnpm lies on another volume than the slots',
      cost: 'each install copies 410 MB where it could link them',
      remedy: 'put the store beside the slots',
      fix: {
        command: 'pnpm config set store-dir /home/ada/.local/share/pnpm',
        elevated: false,
        startable: true,
      },
    },
    {
      id: 'reflinks',
      title: 'Copies without copying',
      status: 'unknown',
      found: 'cp of busybox does not say whether it can',
    },
  ],
};

const kept = (number: number, rest: Partial<KeptWork> = {}): KeptWork => ({
  ref: `refs/headway/kept/job-${number}-attempt-1`,
  repoId: REPOSITORY.id,
  commit: `${number}f2c1e7ab0d4458c8a1f0e9d7c6b5a49382716`.slice(0, 40),
  at: Date.now() - number * 60_000,
  jobId: `job-${number}`,
  ticketId: `T${number}`,
  title: 'Stop trimming significant whitespace',
  state: 'failed',
  files: ['src/parse/trim.ts', 'test/trim.test.ts'],
  fileCount: 2,
  landed: false,
  ...rest,
});

export const someReports = (): Reports => ({
  audit: {
    path: REPOSITORY.path,
    name: REPOSITORY.name,
    repoId: REPOSITORY.id,
    commit: COMMIT,
    gateSource: 'default',
    steps: [
      { name: 'lint', command: 'npm run lint' },
      { name: 'types', command: 'npm run typecheck' },
      { name: 'test', command: 'npm test' },
    ],
    findings: structuredClone(FINDINGS),
    areas: [
      {
        area: 'src/parse',
        sources: 14,
        typechecked: 0,
        typecheckable: 14,
        linted: 14,
        tests: 0,
        testsRun: 0,
      },
      { area: 'test', sources: 9, typechecked: 9, typecheckable: 9, linted: 9, tests: 9, testsRun: 9 },
      {
        area: 'examples',
        sources: 12,
        typechecked: 0,
        typecheckable: 12,
        linted: 12,
        tests: 12,
        testsRun: 0,
      },
    ],
    proposals: ['lint with --cache, kept between jobs: the second run reads changed files alone'],
  },
  proof: { repoId: REPOSITORY.id, running: false, proof: structuredClone(PROOF), fresh: true },
  doctor: structuredClone(DOCTOR),
  kept: [
    kept(44, {
      files: Array.from({ length: 200 }, (_, index) => `src/generated/part-${index}.ts`),
      fileCount: 231,
    }),
    kept(9, { title: 'Detect the encoding by its byte order mark', state: 'held' }),
    kept(41, { title: 'Add a dialect for semicolons', state: 'merged', landed: true }),
    kept(90, {
      ref: 'refs/headway/kept/session-shell-3',
      jobId: undefined,
      ticketId: undefined,
      title: undefined,
      state: undefined,
    }),
  ],
});

type ReportRequests =
  | 'gate.audit'
  | 'gate.fix'
  | 'gate.accept'
  | 'gate.prove'
  | 'gate.cancelProof'
  | 'gate.proof'
  | 'slots.doctor'
  | 'kept.list'
  | 'kept.recover'
  | 'kept.drop';

type Mine = { reports: Reports; sayProof(state: ProofState): void };

/** Answers from `reports`, and changes them as the engine would. */
export function reportHandlers(engine: Mine): Pick<Handlers, ReportRequests> {
  return {
    'gate.audit': () => engine.reports.audit,
    'gate.fix': ({ runs }) => {
      const { audit } = engine.reports;
      const mine = ({ fix }: Finding): boolean =>
        fix.kind === 'policy' && fix.addSteps.every(({ run }) => runs === undefined || runs.includes(run));
      const added = audit.findings
        .filter(mine)
        .flatMap(({ fix }) => (fix.kind === 'policy' ? fix.addSteps : []));
      engine.reports.audit = { ...audit, findings: audit.findings.filter((each) => !mine(each)) };
      // Another gate than the one that was proved.
      engine.reports.proof = { ...engine.reports.proof, fresh: false };
      return {
        file: '/home/ada/.local/share/headway/policies/repo-1.yaml',
        added,
        audit: engine.reports.audit,
      };
    },
    'gate.accept': ({ finding, reason }) => {
      const { audit } = engine.reports;
      const findings = audit.findings.map((each) =>
        each.kind === finding ? { ...each, accepted: reason } : each,
      );
      engine.reports.audit = { ...audit, findings };
      return engine.reports.audit;
    },
    'gate.proof': () => engine.reports.proof,
    'gate.prove': ({ area }) => {
      const { error: _error, ...before } = engine.reports.proof;
      const what = area === undefined ? {} : { area };
      engine.sayProof({ ...before, ...what, running: true, progress: 'the gate as it is' });
      return engine.reports.proof;
    },
    'gate.cancelProof': () => {
      const { progress: _progress, area: _area, ...before } = engine.reports.proof;
      const error = 'The proof was cancelled; the tree is as it was.';
      engine.sayProof({ ...before, running: false, error });
      return engine.reports.proof;
    },
    'slots.doctor': ({ fix }) => {
      const { doctor } = engine.reports;
      if (fix === undefined) return { ...doctor, at: Date.now() };
      const findings = doctor.findings.map((each) =>
        each.id === fix
          ? { id: each.id, title: each.title, status: 'ok' as const, found: 'beside the slots' }
          : each,
      );
      engine.reports.doctor = { ...doctor, at: Date.now(), findings };
      return { ...engine.reports.doctor, fixed: { id: fix, done: true, text: `ran the fix of ${fix}` } };
    },
    'kept.list': () => ({ kept: engine.reports.kept }),
    'kept.recover': ({ ref, branch }) => {
      if (branch === 'main') {
        throw new HeadwayError('conflict', 'Branch main was not made: it exists. Choose another name.');
      }
      return { branch, commit: engine.reports.kept.find((each) => each.ref === ref)?.commit ?? COMMIT };
    },
    'kept.drop': ({ ref }) => {
      engine.reports.kept = engine.reports.kept.filter((each) => each.ref !== ref);
      return {};
    },
  };
}
