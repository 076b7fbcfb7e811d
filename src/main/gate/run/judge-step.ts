import { posix } from 'node:path';
import type { GateStep, StepResult, Verdict } from '../../../shared/domain.ts';
import { hollowReason } from '../commands/hollow.ts';
import { makeRecipe, type ReadFile } from '../commands/make-target.ts';
import type { Scripts } from '../commands/package-scripts.ts';
import { programsOf } from '../commands/programs.ts';
import { calledScripts } from '../commands/script-calls.ts';
import { type Evidence, readEvidence, stripControl } from './evidence.ts';
import { isPlainTest } from './plain-test.ts';
import { printedProblems } from './printed-problems.ts';
import { type Replays, replayWords } from './replays.ts';

/** How the process of a step ended. */
export type StepOutcome = {
  status: 'exited' | 'timed-out' | 'not-started';
  exit: number;
  durationMs: number;
  /** The last part of both streams, in order of arrival. */
  output: string;
  outputBytes: number;
  /** Why it did not start. */
  error?: string;
};

type Tree = { scripts: Scripts; readFile: ReadFile };

const TEST_WORD =
  /(^|[^a-z])(tests?|specs?|vitest|jest|mocha|ava|tap|playwright|cypress|pytest|nextest|unit|e2e)([^a-z]|$)/i;
const MISSING_SCRIPT =
  /^.*?(Missing script: .*|ERR_PNPM_NO_SCRIPT.*|Couldn't find a script named .*|error: Script not found .*|error Command ".*" not found\.?.*)$/m;
const WINDOWS_NOT_FOUND = /is not recognized as an internal or external command/;

/** The step's command line, the scripts that it calls, and what these start by make or as a shell script. */
function linesOf(step: GateStep, { scripts, readFile }: Tree): string[] {
  const lines = [step.command, ...calledScripts([step.command], scripts).map(([, text]) => text)];
  const inner = lines.flatMap((line) => {
    const make = /(?:^|[\s;&|(])make\b(?:\s+-\S+)*(?:\s+([\w-]+))?\s*$/.exec(line);
    const file = /(?:^|[\s;&|(])(?:(?:ba|da|z)?sh\s+|\.\/)([\w./-]+\.(?:ba)?sh)\b/.exec(line)?.[1];
    return [
      make ? makeRecipe(readFile, make[1]) : undefined,
      file === undefined ? undefined : readFile(file),
    ];
  });
  // Of a script only what runs whatever happens, and is no word of a message.
  const always =
    /^\(?(?:\w+=\S+\s+)*(?:npx\s+|pnpm\s+|yarn\s+|exec\s+|python3? -m\s+)?(?:vitest|jest|mocha|pytest|go test|cargo|node)\b/;
  return [...lines, ...inner.flatMap((text) => (text ?? '').split('\n').filter((line) => always.test(line)))];
}

const TEST_COMMAND =
  /\b(vitest|jest|mocha|pytest|unittest|manage\.py test|playwright test|go test|cargo (nextest|test)|node["']?( --\S+)* --test|(npm|pnpm|yarn|bun) (run )?test)\b/;

/** Runners that always print a count, as the program of a command. */
const KNOWN_RUNNER =
  /(^|[\s;&|(/"'])(vitest|jest|mocha|pytest|-m unittest|playwright test|go test|cargo (nextest|test)|node( --\S+)* --test)(?=$|[\s;&|)"'])/;

/** Does the step claim to run tests: by its name, its command, or a script that it calls? */
function looksLikeTests(step: GateStep, tree: Tree): boolean {
  if (step.name !== step.command && TEST_WORD.test(step.name) && !/lint|type/i.test(step.name)) return true;
  return linesOf(step, tree).some((line) => TEST_COMMAND.test(line));
}

const seconds = (durationMs: number): string =>
  durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;

/** The verdict on one step: what it proved, by its exit code, its output and whether it could have failed at all. */
export function judgeStep(
  step: GateStep,
  outcome: StepOutcome,
  scripts: Scripts,
  readFile: ReadFile = () => undefined,
): { verdict: Verdict; reason: string; evidence: StepResult['evidence'] } {
  const tree: Tree = { scripts, readFile };
  const read = withPlainTests(readEvidence(outcome.output), step, tree);
  const evidence: StepResult['evidence'] = {
    ...(read.tests
      ? { testsPassed: read.tests.passed, testsFailed: read.tests.failed, testsSkipped: read.tests.skipped }
      : {}),
    outputBytes: outcome.outputBytes,
  };
  const judged =
    outcome.status === 'exited' ? judgeExit(step, outcome, read, tree) : judgeNoExit(step, outcome);
  return { ...judged, evidence };
}

type Judged = { verdict: Verdict; reason: string };

function judgeNoExit(step: GateStep, outcome: StepOutcome): Judged {
  return outcome.status === 'timed-out'
    ? { verdict: 'broken', reason: `did not end within ${seconds(step.timeoutMs)} and was ended` }
    : { verdict: 'broken', reason: `could not start: ${outcome.error ?? 'no reason given'}` };
}

function judgeExit(step: GateStep, outcome: StepOutcome, read: Evidence, tree: Tree): Judged {
  const { exit, output } = outcome;
  if (exit === 0) return judgeSuccess(step, output, read, tree);
  const missing = MISSING_SCRIPT.exec(stripControl(output))?.[1];
  if (missing !== undefined) return { verdict: 'broken', reason: missing.trim() };
  if (exit === 127 || exit === 9009 || (exit === 1 && WINDOWS_NOT_FOUND.test(output))) {
    return { verdict: 'broken', reason: `command not found: ${lastLine(output) ?? step.command}` };
  }
  if (exit === 126)
    return { verdict: 'broken', reason: `not executable: ${lastLine(output) ?? step.command}` };
  if (exit === 137) {
    return { verdict: 'broken', reason: 'was killed from outside (SIGKILL), perhaps for lack of memory' };
  }
  const failed = read.tests?.failed ?? 0;
  return {
    verdict: 'red',
    reason: failed > 0 ? `${failed} test${failed === 1 ? '' : 's'} failed (exit ${exit})` : `exit ${exit}`,
  };
}

function judgeSuccess(step: GateStep, output: string, read: Evidence, tree: Tree): Judged {
  const { scripts, readFile } = tree;
  const { tests, idle, replays } = read;
  if (tests && tests.failed > 0) {
    return { verdict: 'red', reason: `${tests.failed} failed by its own count, though it exits 0` };
  }
  const problems = printedProblems(stripControl(output), programsOf(step.command, scripts, readFile));
  if (problems) {
    const count = `${problems.errors} error${problems.errors === 1 ? '' : 's'}`;
    return { verdict: 'red', reason: `${problems.tool} printed ${count}, though the step exits 0` };
  }
  if (step.evidence === 'none') {
    return { verdict: 'green', reason: 'exit 0; declared to prove nothing by itself' };
  }
  const hollow = hollowReason(step.command, scripts, readFile) ?? hollowWithin(step, tree);
  if (hollow !== undefined) return { verdict: 'vacuous', reason: hollow };
  if (idle !== undefined) return { verdict: 'vacuous', reason: `${idle}; nothing was run` };
  const replayed = replays && replayProblem(step, replays);
  if (replayed !== undefined) return { verdict: 'vacuous', reason: replayed };
  if (looksLikeTests(step, tree)) {
    const empty = endedEarly(read, step, tree) ?? noTests(step, read, tree);
    if (empty !== undefined) return { verdict: 'vacuous', reason: empty };
  }
  const told = replays ? `; ${replayWords(replays)}` : '';
  if (!tests) return { verdict: 'green', reason: `exit 0${told}` };
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : '';
  return { verdict: 'green', reason: `${tests.passed} passed${skipped}${told}` };
}

/**
 * Why a step in which tasks were replayed proves nothing. What was replayed is the result of other work: it holds for this one only if
 * the task runner was told of everything that the task reads, which nobody but the policy can say.
 */
function replayProblem(step: GateStep, replays: Replays): string | undefined {
  const words = replayWords(replays);
  if (replays.replayed >= replays.total) return `${words}; nothing was run`;
  if (step.reads !== undefined) return undefined;
  return `${words}, and nothing says that it knows all they read: run them without it, or name what the step reads under "reads"`;
}

/** Why one of the checks that the step stands for as well can't fail, though the step itself can. */
function hollowWithin({ covers = [] }: GateStep, { scripts, readFile }: Tree): string | undefined {
  for (const command of covers) {
    const reason = hollowReason(command, scripts, readFile);
    if (reason !== undefined) return `${command}, which it runs: ${reason}`;
  }
  return undefined;
}

/** Why a step that claims to run tests has shown none; undefined where it has, or where its runner is not known. */
function noTests(step: GateStep, { tests, bare, nothing }: Evidence, tree: Tree): string | undefined {
  if (tests) {
    if (tests.passed > 0) return undefined;
    const [file, ...others] = bare ?? [];
    if (file !== undefined && tests.skipped === 0) {
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      return `node ran ${file}${more}, but there is no test in it: write its checks as test() of node:test, or with node:assert`;
    }
    return tests.skipped > 0 ? `all ${tests.skipped} tests were skipped` : 'no test was executed';
  }
  const lines = linesOf(step, tree);
  if (lines.some((line) => /--pass-?with-?no-?tests\b/i.test(line))) {
    return 'it passes without tests, and nothing shows that any was executed';
  }
  if (nothing !== undefined) return nothing.slice(0, 200);
  if (lines.some((line) => /--test-reporter[= ]['"]?dot\b/.test(line))) {
    return "node's reporter `dot` prints no count, and skipped tests as passed ones: add --test-reporter=spec";
  }
  return lines.some((line) => KNOWN_RUNNER.test(line))
    ? "nothing of its runner's own count was seen, so nothing shows that a test was executed"
    : undefined;
}

/** The text of a file that a runner names, also where the step went into another directory before. */
function namedFile(name: string, step: GateStep, tree: Tree): string | undefined {
  const dirs = linesOf(step, tree).flatMap((line) =>
    [...line.matchAll(/(?:^|[\s;&|(])cd\s+([\w@./-]+)/g)].map(([, dir = '']) => dir),
  );
  const places = [name, ...dirs.map((dir) => posix.join(dir, name))];
  return places.map((place) => tree.readFile(place)).find((text) => text !== undefined);
}

/** A file that has tests by its text, but ended well before it came to one: then nobody knows what the others are worth. */
function endedEarly({ bare = [] }: Evidence, step: GateStep, tree: Tree): string | undefined {
  const file = bare.find((name) => /['"]node:test['"]/.test(namedFile(name, step, tree) ?? ''));
  return file === undefined ? undefined : `${file}: it ended before any of its tests ran`;
}

/** Counts the files that node ran as one test each and that assert by themselves; the others stay in `bare`. */
function withPlainTests(read: Evidence, step: GateStep, tree: Tree): Evidence {
  const { tests, bare } = read;
  if (!tests || !bare) return read;
  const without = bare.filter((name) => {
    const text = namedFile(name, step, tree);
    // No file is called so: it is what a test is called.
    return text === undefined ? !/\s/.test(name) : !isPlainTest(text);
  });
  return { ...read, bare: without, tests: { ...tests, passed: tests.passed + bare.length - without.length } };
}

const lastLine = (output: string): string | undefined =>
  stripControl(output)
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '')
    ?.slice(0, 200);
