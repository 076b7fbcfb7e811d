import type { Cause } from '../../src/shared/cause.ts';
import type { Attempt, GateResult, Job, Repository, Session, Slot, Stage } from '../../src/shared/domain.ts';

/** Plausible rows for looking at the window and for its component tests. */

export const REPOSITORY: Repository = {
  id: 'repo-1',
  path: '/home/ada/src/tabular',
  gitDir: '/home/ada/src/tabular/.git',
  name: 'tabular',
  base: 'main',
  addedAt: Date.now() - 86_400_000,
  trustedHash: 'hash-old',
};

const TITLES = [
  'Parse quoted fields that span lines',
  'Say the row and column in every parse error',
  'Document the streaming reader',
  'Add a dialect for semicolons',
  'Stop trimming significant whitespace',
  'Write tests for empty trailing columns',
  'Make the header row optional',
  'Report progress while reading large files',
  'Drop the deprecated callback interface',
  'Detect the encoding by its byte order mark',
];

const title = (index: number): string => TITLES[index % TITLES.length] ?? '';

type JobOverrides = Partial<Omit<Job, 'ticket'>> & { title?: string };

export function job(number: number, overrides: JobOverrides = {}): Job {
  const now = Date.now();
  const { title: given, ...rest } = overrides;
  return {
    id: `job-${number}`,
    repoId: REPOSITORY.id,
    ticket: {
      id: `T${number}`,
      title: given ?? title(number),
      text: `Make \`src/parse/quoted.ts\` accept fields that span lines.\n\nKeep the public interface. Add tests beside it.\n`,
      paths: [`src/part-${number}`],
      dependsOn: [],
      related: [],
      priority: 'batch',
    },
    claim: { kind: 'paths', paths: [`src/part-${number}`, `test/part-${number}.test.ts`], from: 'declared' },
    agent: 'claude-code',
    base: 'main',
    batchId: 'batch-1',
    state: 'queued',
    attempts: 0,
    files: [],
    strayed: [],
    stages: {},
    order: number,
    createdAt: now - 240_000,
    queuedAt: now - 240_000,
    queuedMs: 0,
    seq: 1,
    ...rest,
  };
}

export function running(number: number, stage: Stage, overrides: JobOverrides = {}): Job {
  return job(number, {
    state: 'running',
    stage,
    attempts: 1,
    startedAt: Date.now() - 192_000 + number * 7000,
    queuedMs: 31_000,
    stages: {
      slot: 40,
      checkout: 210,
      install: 0,
      ...(stage === 'gate' || stage === 'merge' ? { agent: 71_000 } : {}),
    },
    sessionId: `session-${number}`,
    slotId: `slot-${number}`,
    ...overrides,
  });
}

export function merged(number: number): Job {
  const endedAt = Date.now() - number * 61_000;
  const agent = 60_000 + (number % 7) * 24_000;
  return job(number, {
    state: number % 9 === 4 ? 'failed' : 'merged',
    verdict: number % 9 === 4 ? 'red' : 'green',
    attempts: 1,
    createdAt: endedAt - agent - 21_000 - 12_000 - (number % 5) * 9000,
    startedAt: endedAt - agent - 21_000,
    endedAt,
    queuedMs: 12_000 + (number % 5) * 9000,
    stages: {
      slot: 38,
      checkout: 190,
      install: number % 4 === 0 ? 8400 : 0,
      agent,
      gate: 19_500,
      merge: 640,
    },
    files: [`src/part-${number}/index.ts`, `test/part-${number}.test.ts`],
    branch: `headway/t${number}`,
    commit: '9f2c1e7ab0d4458c8a1f0e9d7c6b5a4938271605',
    usage: {
      rounds: 14,
      toolCalls: 31,
      inputTokens: 184_220,
      outputTokens: 9311,
      costUsd: 0.412,
      modelMs: 48_000,
      toolMs: 21_000,
    },
    ...(number % 9 === 4 ? { cause: { code: 'gate-red', step: 'test', why: '2 tests failed' } } : {}),
  });
}

export function behind(number: number, other: Job): Job {
  const cause: Cause = {
    code: 'path-conflict',
    jobId: other.id,
    ticketId: other.ticket.id,
    running: other.state === 'running',
    path: 'src/parse',
    theirPath: 'src/parse',
  };
  return job(number, { cause });
}

export function session(owner: Job, state: Session['state'] = 'live'): Session {
  return {
    id: `session-${owner.ticket.id.slice(1)}`,
    kind: 'job',
    repoId: owner.repoId,
    jobId: owner.id,
    slotId: owner.slotId,
    title: `${owner.ticket.id} ${owner.ticket.title}`,
    interactive: false,
    state,
    createdAt: owner.startedAt ?? Date.now(),
    ...(state === 'exited' ? { endedAt: owner.endedAt, exitCode: 0 } : {}),
  };
}

export const slot = (number: number, overrides: Partial<Slot> = {}): Slot => ({
  id: `slot-${number}`,
  repoId: REPOSITORY.id,
  path: `/home/ada/.local/share/headway/slots/tabular/slot-${number}`,
  state: 'ready',
  commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  installedKey: 'npm-1',
  usedAt: Date.now() - number * 300_000,
  updatedAt: Date.now(),
  ...overrides,
});

function gate(verdict: GateResult['verdict']): GateResult {
  const red = verdict === 'red';
  const step = (name: string, command: string, ms: number) => ({
    name,
    command,
    exit: 0,
    ms,
    verdict: 'green' as const,
    reason: 'exit 0',
    evidence: { outputBytes: 1830 },
    tail: `> ${command}\n\nno problems found\n`,
  });
  return {
    verdict,
    reason: red ? 'test: 2 tests failed' : 'all 3 steps green',
    commit: '9f2c1e7ab0d4458c8a1f0e9d7c6b5a4938271605',
    at: Date.now() - 90_000,
    steps: [
      step('lint', 'npm run lint', 2100),
      step('types', 'npm run typecheck', 3040),
      {
        ...step('test', 'npm test', 14_300),
        exit: red ? 1 : 0,
        verdict,
        reason: red ? '2 tests failed' : '128 tests passed',
        evidence: { testsPassed: 126, testsFailed: red ? 2 : 0, testsSkipped: 1, outputBytes: 22_411 },
        tail: red
          ? 'not ok 41 - keeps a quoted line feed\n  expected: "a\\nb"\n  actual:   "a"\nnot ok 42 - keeps a quoted carriage return\n\n# pass 126\n# fail 2\n'
          : '# pass 128\n# fail 0\n',
      },
    ],
  };
}

const REMARKS = {
  notes: ['The hook pre-commit of your clone does not run in slots.'],
  drift: ['refs/heads/main moved from 4b825dc6 to 9f2c1e7a', 'config: user.email was set'],
};

export function attempts(owner: Job): Attempt[] {
  if (owner.startedAt === undefined) return [];
  let at = owner.startedAt;
  const stages = (['slot', 'checkout', 'install', 'agent', 'gate', 'merge'] as const).flatMap((stage) => {
    const ms = owner.stages[stage];
    if (ms === undefined) return owner.stage === stage ? [{ stage, startedAt: at }] : [];
    const row = { stage, startedAt: at, ms };
    at += ms;
    return [row];
  });
  return [
    {
      jobId: owner.id,
      number: 1,
      runnerId: 'runner-1',
      slotId: owner.slotId,
      sessionId: owner.sessionId,
      startedAt: owner.startedAt,
      endedAt: owner.endedAt,
      outcome: owner.state === 'running' || owner.state === 'queued' ? undefined : owner.state,
      stages,
      gates: owner.verdict ? [gate(owner.verdict)] : [],
      usage: owner.usage,
      ...(owner.state === 'held' ? REMARKS : {}),
    },
  ];
}

export const DIFF = `diff --git a/src/parse/quoted.ts b/src/parse/quoted.ts
index 5c1f0aa..9f2c1e7 100644
--- a/src/parse/quoted.ts
+++ b/src/parse/quoted.ts
@@ -12,10 +12,12 @@ export function readQuoted(text: string, start: number): Field {
   let at = start + 1;
   let value = '';
-  while (at < text.length && text[at] !== '\\n') {
+  while (at < text.length) {
     if (text[at] === '"' && text[at + 1] === '"') {
       value += '"';
       at += 2;
+    } else if (text[at] === '"') {
+      return { value, end: at + 1, quoted: true };
     } else {
       value += text[at];
       at += 1;
     }
diff --git a/test/quoted.test.ts b/test/quoted.test.ts
new file mode 100644
index 0000000..b2a9d10
--- /dev/null
+++ b/test/quoted.test.ts
@@ -0,0 +1,5 @@
+import { readQuoted } from '../src/parse/quoted.ts';
+
+test('keeps a quoted line feed', () => {
+  assert.equal(readQuoted('"a\\nb"', 0).value, 'a\\nb');
+});
`;
