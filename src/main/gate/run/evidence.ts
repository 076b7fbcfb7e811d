import { checkedNothing, nothingToMake } from './printed-problems.ts';
import { type Replays, replaysIn } from './replays.ts';
import { reportCounts, type TestCounts } from './report-counts.ts';

export type Evidence = {
  /** Which runners' closing lines were seen. */
  runners: string[];
  /** Undefined: no runner's count was seen. Go without -v counts packages, node:test without `bare`. */
  tests?: TestCounts;
  /** `make` or a linter said that it had nothing to do, in these words. */
  idle?: string;
  /** What a task runner took from its cache instead of running it. */
  replays?: Replays;
  /** Files that node:test ran and counted as one passed test each, since they declared none: what they are worth stands in them. */
  bare?: string[];
  /** A runner said that there was nothing to run, in these words. */
  nothing?: string;
};

// Colour codes, and what else a terminal would not print.
const CONTROL =
  /\u001B(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])|[\u0000-\u0008\u000B-\u001A\u001C-\u001F]/g;

export const stripControl = (text: string): string => text.replace(/\r\n?/g, '\n').replace(CONTROL, '');

const zero = (): TestCounts => ({ passed: 0, failed: 0, skipped: 0 });
const add = (a: TestCounts, b: TestCounts): TestCounts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

const KINDS: Readonly<Record<string, keyof TestCounts>> = {
  passed: 'passed',
  pass: 'passed',
  passing: 'passed',
  ok: 'passed',
  flaky: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  fail: 'failed',
  failing: 'failed',
  error: 'failed',
  errors: 'failed',
  cancelled: 'failed',
  skipped: 'skipped',
  skip: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  ignored: 'skipped',
  xfailed: 'skipped',
  deselected: 'skipped',
};

/** Reads `3 passed | 1 skipped`, `1 failed, 2 passed, 3 total`; undefined where no known word follows a number. */
function counts(text: string): TestCounts | undefined {
  const result = zero();
  let seen = false;
  for (const [, number, word] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const kind = KINDS[word ?? ''];
    if (!kind) continue;
    result[kind] += Number(number);
    seen = true;
  }
  return seen ? result : undefined;
}

type Reader = { runner: string; read: (lines: readonly string[]) => TestCounts | undefined };

/** Sums what `pattern` captures on every line (a monorepo prints one summary per package). */
const perLine =
  (pattern: RegExp, parse: (match: RegExpExecArray) => TestCounts | undefined) =>
  (lines: readonly string[]): TestCounts | undefined => {
    let sum: TestCounts | undefined;
    for (const line of lines) {
      const match = pattern.exec(line);
      const found = match ? parse(match) : undefined;
      if (found) sum = add(sum ?? zero(), found);
    }
    return sum;
  };

/** What a package manager or task runner puts before a line of one package. */
const BEFORE = '^(?:[\\w@/.-]+(?: [\\w:-]+)?: |\\[[^\\]]+\\] )?';

/** A file that declared no test stands in the list under its own name. */
const BARE_FILE = /^(?:ok \d+ - |✔ )(\S.*\.[cm]?[jt]sx?)(?: \([\d.]+ms\))?$/;
const BARE_CASE = /^\t<testcase name="([^"]+\.[cm]?[jt]sx?)" .*\bfile="([^"]*)"\/>$/;

/** The files that declared no test. */
const bareFiles = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const [, name, file] = BARE_FILE.exec(line) ?? BARE_CASE.exec(line) ?? [];
    return name !== undefined && (file === undefined || file.endsWith(name)) ? [name] : [];
  });

/** The closing lines of the reporters `spec` and `tap`, and those of `junit`, which are comments there. */
const NODE_TOTALS = [
  `${BEFORE}(?:#|ℹ) (pass|fail|cancelled|skipped|todo) (\\d+)$`,
  `${BEFORE}\\s*<!-- (pass|fail|cancelled|skipped|todo) (\\d+) -->$`,
].map((pattern) => perLine(new RegExp(pattern), (match) => counts(`${match[2]} ${match[1]}`)));

const READERS: readonly Reader[] = [
  {
    runner: 'vitest',
    read: perLine(new RegExp(`${BEFORE}\\s*Tests {2,}(\\S.*)$`), (match) =>
      match[1]?.startsWith('no tests') ? zero() : counts(match[1] ?? ''),
    ),
  },
  {
    runner: 'jest',
    read: perLine(
      new RegExp(`${BEFORE}\\s*Tests: +(\\d.*\\btotal)\\b`),
      (match) => counts(match[1] ?? '') ?? zero(),
    ),
  },
  {
    runner: 'mocha',
    read: perLine(new RegExp(`${BEFORE}\\s{1,4}(\\d+ (?:passing|pending|failing))\\b`), (match) =>
      counts(match[1] ?? ''),
    ),
  },
  {
    runner: 'ava',
    read: perLine(/^ {2}(\d+) tests? (passed|failed|skipped|todo)$/, (match) =>
      counts(`${match[1]} ${match[2]}`),
    ),
  },
  {
    runner: 'node:test',
    read: (lines) => {
      // Two reporters count the same tests.
      const found = NODE_TOTALS.map((read) => read(lines)).find((sum) => sum !== undefined);
      return found && { ...found, passed: Math.max(0, found.passed - bareFiles(lines).length) };
    },
  },
  {
    runner: 'playwright',
    read: (lines) => {
      const start = lines.findLastIndex((line) => /^\s*Running \d+ tests? using \d+ workers?/.test(line));
      if (start < 0) return undefined;
      return perLine(/^\s{2,}(\d+ (?:passed|failed|skipped|flaky))\b/, (match) => counts(match[1] ?? ''))(
        lines.slice(start),
      );
    },
  },
  {
    runner: 'pytest',
    read: perLine(
      /^(?:=+ )?(\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?)\b.*) in [\d.]+s/,
      (match) => counts(match[1] ?? ''),
    ),
  },
  {
    runner: 'unittest',
    read: (lines) => {
      let ran: number | undefined;
      let [failed, skipped] = [0, 0];
      for (const line of lines) {
        const count = /^Ran (\d+) tests? in [\d.]+s$/.exec(line)?.[1];
        if (count !== undefined) ran = (ran ?? 0) + Number(count);
        const [, list] = /^(?:OK|FAILED|NO TESTS RAN) \((.*)\)$/.exec(line) ?? [];
        for (const [, word, number] of (list ?? '').matchAll(/([a-z ]+)=(\d+)/g)) {
          if (/failures|errors|unexpected/.test(word ?? '') && !/expected failures/.test(word ?? ''))
            failed += Number(number);
          else skipped += Number(number);
        }
      }
      return ran === undefined ? undefined : { passed: Math.max(0, ran - failed - skipped), failed, skipped };
    },
  },
  {
    runner: 'bun test',
    read: (lines) =>
      lines.some((line) => /^Ran \d+ tests? across \d+ files?\./.test(line))
        ? perLine(/^ *(\d+ (?:pass|fail|skip|todo))$/, (match) => counts(match[1] ?? ''))(lines)
        : undefined,
  },
  {
    runner: 'deno test',
    read: perLine(/^(?:ok|FAILED) \| (\d+ passed\b.*)$/, (match) => counts(match[1] ?? '')),
  },
  {
    runner: 'tap',
    read: perLine(/^Asserts: +(\d+ pass\b.*)$/, (match) => counts(match[1] ?? '')),
  },
  {
    runner: 'cargo test',
    read: perLine(/^test result: \w+\. (\d+ passed; \d+ failed; \d+ ignored)/, (match) =>
      counts(match[1] ?? ''),
    ),
  },
  {
    runner: 'go test',
    read: (lines) => {
      const whole = lines.filter((line) => /^(ok {2}\t|FAIL\t|\? {3}\t.*\[no test files\])/.test(line));
      if (whole.length === 0) return undefined;
      const single = (word: string): number =>
        lines.filter((line) => line.trimStart().startsWith(`--- ${word}: `)).length;
      const verbose = { passed: single('PASS'), failed: single('FAIL'), skipped: single('SKIP') };
      if (verbose.passed + verbose.skipped > 0) return verbose;
      return {
        passed: whole.filter((line) => line.startsWith('ok') && !line.includes('[no tests to run]')).length,
        failed: whole.filter((line) => line.startsWith('FAIL')).length,
        skipped: 0,
      };
    },
  },
];

/** Plain TAP, for producers without a summary of their own. */
function readTap(lines: readonly string[]): TestCounts | undefined {
  if (!lines.some((line) => /^1\.\.\d+/.test(line))) return undefined;
  const result = zero();
  for (const line of lines) {
    const match = /^(not )?ok\b(?: \d+)?(.*)$/.exec(line);
    if (!match) continue;
    if (/# *(skip|todo)/i.test(match[2] ?? '')) result.skipped += 1;
    else if (match[1]) result.failed += 1;
    else result.passed += 1;
  }
  return result;
}

const NOTHING =
  /^.*\b(No test files found|No tests found|No test suite found in|no tests ran in|collected 0 items|Error: No tests found|No tests found, exiting with code 0)\b.*$/im;

/** What the closing lines of known test runners say; colour codes are ignored. */
export function readEvidence(output: string): Evidence {
  const text = stripControl(output);
  const lines = text.split('\n').map((line) => line.trimEnd());
  const runners: string[] = [];
  let tests: TestCounts | undefined;
  for (const { runner, read } of READERS) {
    const found = read(lines);
    if (!found) continue;
    runners.push(runner);
    tests = add(tests ?? zero(), found);
  }
  if (runners.length === 0) {
    const report = reportCounts(text);
    if (report) {
      runners.push(report.runner);
      tests = report.tests;
    }
  }
  if (runners.length === 0) {
    const tap = readTap(lines);
    if (tap) {
      runners.push('TAP');
      tests = tap;
    }
  }
  const bare = runners.includes('node:test') ? bareFiles(lines) : [];
  const nothing = NOTHING.exec(text)?.[0]?.trim();
  const idle = nothingToMake(text) ?? checkedNothing(text);
  const replays = replaysIn(text);
  return {
    runners,
    tests,
    nothing,
    ...(bare.length > 0 ? { bare } : {}),
    ...(idle === undefined ? {} : { idle }),
    ...(replays ? { replays } : {}),
  };
}
