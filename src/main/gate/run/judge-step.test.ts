import { describe, expect, it } from 'vitest';
import { judgeStep, type StepOutcome } from './judge-step.ts';

type Scripts = Record<string, string>;
const judge = (
  command: string,
  outcome: Partial<StepOutcome> = {},
  scripts: Scripts = {},
  name = command,
  files: Scripts = {},
) =>
  judgeStep(
    { name, command, timeoutMs: 60_000 },
    { status: 'exited', exit: 0, durationMs: 5, output: '', outputBytes: 0, ...outcome },
    scripts,
    (path) => files[path],
  );
const npmTest = (test: string, outcome: Partial<StepOutcome> = {}) =>
  judge('npm test', outcome, { test }, 'test');

const PASSED = '      Tests  41 passed (41)\n';

describe('judgeStep', () => {
  it.each(['test -f a.txt', 'node check.mjs', 'sh check.sh', 'tsc -p . && echo ok', 'grep -q x a.txt'])(
    'takes exit 0 of %j as proof',
    (command) => {
      expect(judge(command)).toMatchObject({ verdict: 'green', reason: 'exit 0' });
    },
  );

  it('does not suspect a check of its own that happens to print what a runner prints', () => {
    expect(judge('sh check.sh', { output: 'No test files found\n  0 passing (1ms)\n' }).verdict).toBe(
      'green',
    );
  });

  it.each([
    ['turbo run test', ' Tasks:    2 successful, 2 total\nCached:    2 cached, 2 total\n', "turbo's cache"],
    ['make check', "make: Nothing to be done for 'check'.\n", 'Nothing to be done'],
  ])('takes %j for vacuous where it only said what it had done before', (command, output, why) => {
    const { verdict, reason } = judge(command, { output });
    expect({ verdict, reason }).toEqual({ verdict: 'vacuous', reason: expect.stringContaining(why) });
  });

  it.each([
    [{ exit: 1 }, 'red', 'exit 1'],
    [{ exit: 1, output: '      Tests  2 failed | 1 passed (3)\n' }, 'red', '2 tests failed (exit 1)'],
    [{ exit: 139 }, 'red', 'exit 139'],
    [{ exit: 127, output: 'sh: 1: vitest: not found\n' }, 'broken', 'vitest: not found'],
    [{ exit: 126, output: 'sh: 1: ./x: Permission denied\n' }, 'broken', 'not executable'],
    [{ exit: 137 }, 'broken', 'SIGKILL'],
    [{ exit: 1, output: 'npm error Missing script: "test"\n' }, 'broken', 'Missing script: "test"'],
    [{ exit: 1, output: ' ERR_PNPM_NO_SCRIPT  Missing script: test\n' }, 'broken', 'ERR_PNPM_NO_SCRIPT'],
    [
      { exit: 1, output: 'Usage Error: Couldn\'t find a script named "x".\n' },
      'broken',
      "Couldn't find a script",
    ],
    [{ status: 'timed-out', exit: 143 }, 'broken', 'did not end within 60 s'],
    [{ status: 'not-started', exit: 127, error: 'ENOENT' }, 'broken', 'could not start: ENOENT'],
  ] as const)('judges %j %s', (outcome, verdict, reason) => {
    const judged = npmTest('vitest run', outcome);
    expect(judged.verdict).toBe(verdict);
    expect(judged.reason).toContain(reason);
  });

  it.each([
    ['vitest run', ' Tests  no tests\n', 'no test was executed'],
    ['vitest run', '      Tests  5 skipped (5)\n', 'all 5 tests were skipped'],
    ['vitest run --passWithNoTests', 'No test files found, exiting with code 0\n', 'passes without tests'],
    ['jest --onlyChanged', 'No tests found, exiting with code 0\n', 'No tests found'],
    ['playwright test --pass-with-no-tests', '', 'passes without tests'],
    ['node --test', 'ℹ tests 0\nℹ pass 0\nℹ fail 0\n', 'no test was executed'],
    ['mocha', '\n  0 passing (3ms)\n', 'no test was executed'],
    ['vitest run || true', PASSED, 'can not fail'],
  ])('calls %j with %j vacuous', (test, output, reason) => {
    const judged = npmTest(test, { output });
    expect(judged).toMatchObject({ verdict: 'vacuous', reason: expect.stringContaining(reason) });
  });

  it('is red where the runner counted failures though something hid its exit code', () => {
    expect(npmTest('node run-tests.js', { output: '      Tests  1 failed | 3 passed (4)\n' }).verdict).toBe(
      'red',
    );
  });

  const TYPE_ERROR = "src/a.ts(1,2): error TS2322: Type 'string' is not assignable.\n";
  const NODE_PASSED = 'ℹ tests 1\nℹ pass 1\nℹ fail 0\n';

  it.each([
    ['vitest run', TYPE_ERROR + PASSED],
    ['jest', `${TYPE_ERROR}Tests:       1 passed, 1 total\n`],
    ['node --test', TYPE_ERROR + NODE_PASSED],
    ['rm -rf out && c8 node --test', TYPE_ERROR + NODE_PASSED],
    ['eslint . && vitest run', TYPE_ERROR + PASSED],
    ['tsc --noEmit && vitest run', `✖ 2 problems (2 errors, 0 warnings)\n${PASSED}`],
    ['vitest run', `Found 3 errors.\n${PASSED}`],
  ])('takes what %j prints of another tool for words of a test: %j', (test, output) => {
    expect(npmTest(test, { output })).toMatchObject({ verdict: 'green' });
  });

  it.each([
    ['tsc || true', TYPE_ERROR, 'tsc'],
    ['tsc; echo ok', TYPE_ERROR, 'tsc'],
    ['f() { tsc; }; f; vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['echo "$(tsc)"; vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['biome check; vitest run', `Found 3 errors.\n${PASSED}`, 'biome'],
    ['node check.mjs', TYPE_ERROR + PASSED, 'tsc'],
    ['$CHECK && vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['. ./more.sh && vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['npm ci && vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['make more && vitest run', TYPE_ERROR + PASSED, 'tsc'],
    ['next build; vitest run', `✖ 2 problems (2 errors, 0 warnings)\n${PASSED}`, 'next build'],
  ])('is red where %j may have run what printed the errors itself', (test, output, tool) => {
    const { verdict, reason } = npmTest(test, { output });
    expect({ verdict, reason }).toEqual({
      verdict: 'red',
      reason: expect.stringMatching(new RegExp(`^${tool} printed \\d errors?, though the step exits 0$`)),
    });
  });

  describe('a file that node:test runs as one test', () => {
    const ran = (name: string) => ({ output: `✔ ${name} (1.5ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n` });
    const judged = (name: string, files: Record<string, string>, command = 'node --test') =>
      judge(command, ran(name), {}, 'test', files);
    it.each([
      "const assert = require('node:assert');\nassert.equal(1, 1);\n",
      "import { strict as assert } from 'assert';\nassert(one() === 1);\n",
      "if (one() !== 1) throw new Error('wrong');\n",
      'process.exitCode = one() === 1 ? 0 : 1;\n',
      'if (one() !== 1) process.exit(1);\n',
    ])('counts where it asserts by itself: %j', (text) => {
      expect(judged('a.test.js', { 'a.test.js': text })).toMatchObject({
        verdict: 'green',
        reason: '1 passed',
        evidence: { testsPassed: 1 },
      });
    });

    it.each([
      '',
      '// assert(true)\n',
      '/*\nassert(true);\n*/\n',
      'one(); // throw\n',
      'console.assert(one() === 1);\n',
      'export const help = 1;\n',
      'process.exit(0);\nassert(one() === 1);\n',
    ])('does not count where nothing in it can fail: %j', (text) => {
      expect(judged('a.test.js', { 'a.test.js': text })).toMatchObject({
        verdict: 'vacuous',
        reason:
          'node ran a.test.js, but there is no test in it: write its checks as test() of node:test, or with node:assert',
      });
    });

    it('is found where the step went into another directory', () => {
      const files = { 'sub/a b.test.js': 'assert(true);\n' };
      expect(judged('a b.test.js', files, 'cd sub && node --test').verdict).toBe('green');
      expect(judged('a b.test.js', { 'sub/a b.test.js': '' }, 'cd sub && node --test').verdict).toBe(
        'vacuous',
      );
    });

    it('is none where a test is called like one', () => {
      expect(judged('reads a.js', {}).verdict).toBe('green');
    });

    it('proves nothing where it has tests but ended before them', () => {
      const text = "const { test } = require('node:test');\nprocess.exit(0);\n";
      expect(judged('a.test.js', { 'a.test.js': text }).reason).toContain(
        'ended before any of its tests ran',
      );
    });
  });

  it('names the way out where the reporter counts nothing', () => {
    expect(npmTest('node --test --test-reporter=dot', { output: '..\n' })).toMatchObject({
      verdict: 'vacuous',
      reason: expect.stringContaining('add --test-reporter=spec'),
    });
  });

  it('looks for the checker in what npm runs before and after the tests', () => {
    const judged = judge(
      'npm test',
      { output: TYPE_ERROR + PASSED },
      { pretest: 'tsc; node -e 0', test: 'vitest run' },
    );
    expect(judged.verdict).toBe('red');
  });

  it('reports what the runner counted', () => {
    expect(
      npmTest('vitest run --passWithNoTests', {
        output: '      Tests  3 passed | 1 skipped (4)\n',
        outputBytes: 33,
      }),
    ).toEqual({
      verdict: 'green',
      reason: '3 passed, 1 skipped',
      evidence: { testsPassed: 3, testsFailed: 0, testsSkipped: 1, outputBytes: 33 },
    });
  });

  // Scripts seen in the wild, as the test script, on a tree whose 41 tests pass.
  it.each([
    ['echo "no tests" && exit 0', '', 'vacuous'],
    ['exit 0', '', 'vacuous'],
    ['true', '', 'vacuous'],
    [':', '', 'vacuous'],
    ['vitest run || true', PASSED, 'vacuous'],
    ['vitest run; exit 0', PASSED, 'vacuous'],
    ["vitest run || echo 'tests failed'", PASSED, 'vacuous'],
    ['vitest run 2>&1 | tee test.log', PASSED, 'vacuous'],
    ['set -o pipefail; vitest run | tee test.log', PASSED, 'green'],
    ['vitest run &', PASSED, 'vacuous'],
    ['vitest run --passWithNoTests', PASSED, 'green'],
    [
      'jest --ci --testPathPattern=^nothing$ --passWithNoTests',
      'No tests found, exiting with code 0\n',
      'vacuous',
    ],
    ['vitest', PASSED, 'green'],
    ['lint-staged', '→ No staged files found.\n', 'vacuous'],
    ['cross-env CI=true vitest run', PASSED, 'green'],
    ["mocha 'test/**/*.spec.js'", '\n  41 passing (3ms)\n', 'green'],
    ['node -e "process.exitCode=0"', '', 'vacuous'],
    ['npm run test:unit', '', 'green'],
  ])('judges the script %j %s', (test, output, verdict) => {
    expect(npmTest(test, { output }).verdict).toBe(verdict);
  });
});
