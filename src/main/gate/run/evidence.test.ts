import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvidence } from './evidence.ts';

const E = '\u001b';
const counts = (passed: number, failed: number, skipped: number) => ({ passed, failed, skipped });

describe('readEvidence', () => {
  it.each([
    [
      'vitest',
      `${E}[2m Test Files ${E}[22m ${E}[1m${E}[32m1 passed${E}[39m${E}[22m${E}[90m (1)${E}[39m\n${E}[2m      Tests ${E}[22m ${E}[1m${E}[31m1 failed${E}[39m${E}[22m${E}[2m | ${E}[22m${E}[1m${E}[32m2 passed${E}[39m${E}[22m${E}[2m | ${E}[22m${E}[33m1 skipped${E}[39m${E}[2m | ${E}[22m${E}[90m1 todo${E}[39m${E}[90m (5)${E}[39m\n`,
      counts(2, 1, 2),
    ],
    ['vitest', ' Test Files  1 skipped (1)\n      Tests  5 skipped (5)\n', counts(0, 0, 5)],
    ['vitest', '      Tests  no tests\n', counts(0, 0, 0)],
    [
      'vitest',
      'packages/a test:       Tests  2 passed (2)\npackages/b test:       Tests  3 passed (3)\n',
      counts(5, 0, 0),
    ],
    [
      'jest',
      'Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total\nSnapshots:   0 total\n',
      counts(1, 1, 2),
    ],
    ['jest', 'Tests:       0 total\n', counts(0, 0, 0)],
    ['mocha', '\n\n  2 passing (7ms)\n  1 pending\n  3 failing\n\n  1) c:\n', counts(2, 3, 1)],
    ['mocha', '\n  0 passing (3ms)\n', counts(0, 0, 0)],
    ['ava', '  ✔ a\n  ─\n\n  12 tests passed\n  1 test skipped\n', counts(12, 0, 1)],
    [
      'node:test',
      'ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n',
      counts(2, 0, 1),
    ],
    [
      'node:test',
      'TAP version 13\nok 1 - a\n1..1\n# tests 1\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n',
      counts(1, 0, 0),
    ],
    ['node:test', 'ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n', counts(0, 0, 0)],
    [
      'node:test',
      '<testsuites>\n\t<testcase name="a.test.js" time="0.07" classname="test" file="/x/a.test.js"/>\n\t<testsuite name="s" tests="4" failures="1" skipped="2">\n\t</testsuite>\n\t<!-- tests 9 -->\n\t<!-- pass 7 -->\n\t<!-- fail 0 -->\n\t<!-- skipped 1 -->\n\t<!-- todo 1 -->\n</testsuites>\n',
      counts(6, 0, 2),
    ],
    [
      'node:test',
      'ℹ tests 1\nℹ pass 1\nℹ fail 0\n<testsuites>\n\t<!-- pass 1 -->\n\t<!-- fail 0 -->\n',
      counts(1, 0, 0),
    ],
    [
      'playwright',
      '\nRunning 3 tests using 1 worker\n·°·\n  1 failed\n    a.spec.js:1:78 › c ───\n  1 skipped\n  1 passed (1.6s)\n',
      counts(1, 1, 1),
    ],
    ['playwright', 'Running 1 test using 1 worker\n°\n  1 skipped\n', counts(0, 0, 1)],
    ['unittest', '..\n----\nRan 2 tests in 0.001s\n\nOK\n', counts(2, 0, 0)],
    ['unittest', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN\n', counts(0, 0, 0)],
    ['unittest', 'Ran 6 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=2)\n', counts(2, 2, 2)],
    [
      'bun test',
      ' 3 pass\n 1 skip\n 0 fail\n 3 expect() calls\nRan 4 tests across 1 file. [9.00ms]\n',
      counts(3, 0, 1),
    ],
    ['deno test', 'ok | 3 passed | 0 failed | 1 ignored (5ms)\n', counts(3, 0, 1)],
    ['tap', 'Asserts:  51 pass  1 fail  2 skip  54 of 54 complete\n', counts(51, 1, 2)],
    ['pytest', '======= 1 passed, 1 skipped in 1.44s =======\n', counts(1, 0, 1)],
    ['pytest', '.s   [100%]\n1 failed, 3 passed, 2 warnings in 0.12s\n', counts(3, 1, 0)],
    ['pytest', '2 deselected in 1.29s\n', counts(0, 0, 2)],
    ['pytest', '=== 70 passed in 75.02s (0:01:15) ===\n', counts(70, 0, 0)],
    [
      'cargo test',
      'test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
      counts(3, 0, 1),
    ],
    [
      'go test',
      'ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n?   \texample.com/c\t[no test files]\n',
      counts(2, 0, 0),
    ],
    [
      'go test',
      '?   \texample.com/c\t[no test files]\nok  \texample.com/d\t0.01s [no tests to run]\n',
      counts(0, 0, 0),
    ],
    [
      'go test',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.012s\n',
      counts(1, 0, 1),
    ],
    ['TAP', 'TAP version 14\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP later\n1..3\n', counts(1, 1, 1)],
    ['TAP', '1..0 # no tests\n', counts(0, 0, 0)],
  ])('reads the closing lines of %s: %j', (runner, output, tests) => {
    expect(readEvidence(output)).toMatchObject({ runners: [runner], tests });
    expect(readEvidence(output.replaceAll('\n', '\r\n')).tests).toEqual(tests);
  });

  it.each([
    'No test files found, exiting with code 0\n',
    'No tests found, exiting with code 0\n',
    `${E}[31mError: No test files found: "nope/**"${E}[39m\n`,
    '===== no tests ran in 1.21s =====\n',
    'collected 0 items\n',
  ])('sees that there was nothing to run: %j', (output) => {
    expect(readEvidence(output)).toMatchObject({
      tests: undefined,
      nothing: expect.stringMatching(/no test|0 items/i),
    });
  });

  it.each([
    '',
    'all good\n',
    '3 files passed review\n',
    'built in 2.1s\n',
    'Tests: none yet\n',
    '1 passing thought\n',
  ])('sees nothing in %j', (output) => {
    expect(readEvidence(output)).toEqual({ runners: [], tests: undefined, nothing: undefined });
  });

  it('survives any output and is never misled by colour', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(999), fc.nat(99), (noise, passed, skipped) => {
        const plain = `${noise.replace(/\d/g, '')}\n      Tests  ${passed} passed | ${skipped} skipped (9)\n`;
        expect(readEvidence(plain).tests).toEqual(counts(passed, 0, skipped));
        expect(readEvidence(plain.replace('passed', `${E}[32mpassed${E}[39m`)).tests).toEqual(
          counts(passed, 0, skipped),
        );
      }),
    );
  });
});
