import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hollowReason } from './hollow.ts';

const hollow = (command: string, scripts: Record<string, string> = {}): boolean =>
  hollowReason(command, scripts) !== undefined;

describe('hollowReason', () => {
  it.each([
    'exit 0',
    'true',
    ':',
    '   ',
    'echo "no tests" && exit 0',
    'vitest run || true',
    'vitest run || :',
    'vitest run || exit 0',
    'vitest run; exit 0',
    'vitest run ; true',
    'vitest run\ntrue',
    "vitest run || echo 'tests failed'",
    'vitest run 2>&1 | tee test.log',
    'vitest run | cat',
    'vitest run &',
    '(vitest run || true)',
    '{ vitest run; true; }',
    'if_lint && false || true',
    'node -e "process.exitCode=0"',
    "node -e 'process.exit(0)'",
    'node -e "console.log(\'fine\')"',
    'lint-staged',
    'npx lint-staged',
    "sh -c 'vitest run || true'",
    'bash -lc "exit 0"',
    'CI=1 true',
    'cross-env CI=true true',
    'npm run missing --if-present',
    'export A=1; echo $A',
    'echo `vitest run`',
    'exit 256',
    '! false',
    'vitest run || (echo failed; exit 0)',
    'vitest run | sed s/fail/pass/',
    "vitest run 2>&1 | awk '{print}'",
    "find . -name '*.test.js' -exec node {} \\;",
    'prettier --write .',
    'prettier src',
    'eslint --stdin',
    'eslint --pass-on-no-patterns',
    'eslint . --suppress-all',
    'biome check --staged --no-errors-on-unmatched',
    'tsc --VERSION',
    'tsc -listFilesOnly',
    'make -ik check',
    'make -q check',
    'MAKEFLAGS=-i make check',
    'mkdir -p dist',
    'python3 -m pytest --collect-only',
    'cat <<EOF\nx\nEOF',
  ])('finds that %j can not fail', (command) => {
    expect(hollow(command)).toBe(true);
  });

  it.each([
    'test -f a.txt',
    '[ -f a.txt ]',
    'node check.mjs',
    'sh check.sh',
    './check.sh',
    'grep -q needle hay.txt',
    '! grep -rn TODO src',
    'tsc -p . && echo ok',
    'prettier --check .',
    'prettier -uc .',
    'eslint . --pass-on-no-patterns',
    "find src -name '*.js' -exec node --check {} +",
    "vitest run | awk '/FAIL/ { exit 1 }'",
    'cd packages/a && vitest run',
    'rm -rf dist && tsc',
    'make -j4 check',
    'python3 -m pytest',
    'node --test; [ $? -eq 0 ]',
    'cross-env CI=true vitest run',
    "mocha 'test/**/*.spec.js'",
    'vitest run --passWithNoTests',
    'vitest run || exit 1',
    'vitest run || (echo failed; exit 1)',
    'vitest run || { echo failed >&2; exit 1; }',
    'vitest run; exit $?',
    'set -o pipefail; vitest run | tee test.log',
    'set -e; vitest run; echo done',
    '[ -d src ] || exit 0; vitest run',
    'vitest run | tap-spec',
    'true && vitest run',
    'false || vitest run',
    'cd sub && npm test',
    'npm test',
    'npm --prefix sub run x',
    'echo "Error: no test specified" && exit 1',
    'if [ -f x ]; then exit 1; fi',
    'for f in *.js; do node --check $f || exit 1; done',
    'node -e "require(\'./check\')"',
    'node -e "process.exit(check())"',
    '$CHECK',
    'sleep 1; diff a b',
    'test "$(cat a.txt)" = "|| true"',
    'grep -c "; exit 0" file',
    "node -e 'if (1) process.exit(1)'",
    'vitest run "unclosed',
    'exit 3',
    'git diff --exit-code',
    'eslint . && true',
    'python3 -m pytest | tee log; test $STATUS -eq 0',
    'lint-staged --diff=main',
    'exec vitest run',
  ])('does not suspect %j', (command) => {
    expect(hollowReason(command, {})).toBeUndefined();
  });

  it('looks through scripts, with those before and after them', () => {
    expect(hollow('npm test', { test: 'npm run test:unit', 'test:unit': 'true' })).toBe(true);
    expect(hollow('yarn test', { test: 'exit 0' })).toBe(true);
    expect(hollow('pnpm run check', { check: 'run-s a b', a: 'true', b: 'echo b' })).toBe(true);
    expect(hollow('npm test', { test: 'vitest run', posttest: 'exit 0' })).toBe(false);
    expect(hollow('npm test', { test: 'true', pretest: 'vitest run' })).toBe(false);
    expect(hollow('npm run a', { a: 'npm run b', b: 'npm run a' })).toBe(false);
    expect(hollow('npm run constructor', {})).toBe(false);
    expect(hollow('bun test', { test: 'true' })).toBe(false);
    expect(hollow('npm run x -- --flag', { x: 'echo' })).toBe(true);
  });

  it('names what it looked at', () => {
    expect(hollowReason('npm test', { test: 'vitest run | tee log' })).toBe(
      '"vitest run | tee log": the pipe hides the exit code',
    );
  });

  it('never throws and never suspects a command whose last part may fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        hollowReason(text, { test: text });
      }),
      { numRuns: 500 },
    );
    const parts = fc.array(fc.constantFrom('true', 'exit_maybe', 'echo x', '(true)', 'a | tee b', 'cd x'), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(parts, fc.constantFrom(' && ', '; ', '\n'), (list, joint) => {
        expect(hollow([...list, 'node check.mjs'].join(joint))).toBe(false);
      }),
    );
  });
});

describe('checks whose failure does not count', () => {
  it.each([
    'tsc --noEmit; [ -d src ]',
    'eslint . ; vitest run',
    'vitest run || node report.mjs',
    'tsc & vitest run',
    'npm run lint; npm test',
  ])('%j hides one', (command) => {
    expect(hollowReason(command, { lint: 'eslint .', test: 'vitest run' })).toMatch(
      /although (tsc|eslint|vitest) failed/,
    );
  });

  it.each([
    'tsc --noEmit && [ -d src ]',
    'vitest run; code=$?; rm -rf tmp; exit $code',
    'vitest run || vitest run',
    'set -e; tsc; node report.mjs',
    'vitest run || { cat log; exit 1; }',
    'eslint . && vitest run',
  ])('%j hides none', (command) => {
    expect(hollowReason(command, {})).toBeUndefined();
  });

  it('reads shell scripts and Makefiles of the repository', () => {
    const files: Record<string, string> = {
      'check.sh': '#!/bin/sh\nvitest run || true\n',
      'good.sh': '#!/bin/sh\nset -e\nvitest run\n',
      Makefile: 'lax:\n\t-vitest run\ngood:\n\t@vitest run\nmore: good\n\ttrue\n',
    };
    const hollow = (command: string): boolean =>
      hollowReason(command, {}, (path) => files[path]) !== undefined;
    expect(['sh check.sh', './check.sh', 'make lax', 'make -n good'].map(hollow)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['sh good.sh', './good.sh', 'make good', 'make more', 'sh missing.sh'].map(hollow)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
