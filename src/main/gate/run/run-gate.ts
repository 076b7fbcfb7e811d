import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { GateResult, GateStep, StepResult } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { StepFaucet } from '../../limits/step-faucet.ts';
import { declaredPaths, matchesAny } from '../../paths/globs.ts';
import type { Environment } from '../../processes/environment.ts';
import { run } from '../../processes/run.ts';
import type { StepCaches } from '../../slots/tree/step-caches.ts';
import { builtinName } from '../builtin/names.ts';
import type { ReadFile } from '../commands/make-target.ts';
import { parsePackage, type Scripts } from '../commands/package-scripts.ts';
import { stepOrder, writesOf } from '../policy/step-order.ts';
import type { ReusePlan } from '../reuse/plan-reuse.ts';
import { builtinThread } from '../thread/builtin-thread.ts';
import { stripControl } from './evidence.ts';
import { judgeStep } from './judge-step.ts';
import { OrderedOutput } from './ordered-output.ts';
import { runInOrder } from './run-in-order.ts';
import { rememberOthers, watchTracked } from './touched-files.ts';

export type StepState = { phase: 'running' } | { phase: 'ended'; result: StepResult };

export type GateOptions = {
  steps: readonly GateStep[];
  /** The tree to verify. */
  cwd: string;
  /** The whole environment of the steps; CI=1 is added. */
  env: Environment;
  /** The commit that the tree holds; recorded with the result. */
  commit: string;
  /** Where the commit left its base: what built-in steps take as added. */
  base?: string;
  /** Globs of tracked files that steps may write. */
  generated?: readonly string[];
  signal?: AbortSignal;
  /** Lets steps run side by side, as far as it has room; default: one at a time. */
  faucet?: StepFaucet;
  /** Keys to record with results, and results that stand for a run; default: every step runs. */
  reuse?: ReusePlan;
  /** Where kept caches of steps come from; default: they find what lies there. */
  stepCaches?: Pick<StepCaches, 'bring' | 'take'>;
  /** Headings and the steps' own bytes, in order of the steps. */
  output?: (bytes: Uint8Array) => void;
  /** A step that is ended because an earlier one was not green is not told of again. */
  onStep?: (step: GateStep, state: StepState) => void;
  /** Takes secrets out of text that is kept. */
  redact?: (text: string) => string;
  /** Called when a step's process has started, so that a crash can be cleaned up after. */
  onStart?: (pid: number, tag: string) => void;
  now?: () => number;
};

const EVIDENCE_BYTES = 512 * 1024;
const TAIL_LINES = 40;
const TAIL_LENGTH = 4000;

const encoder = new TextEncoder();
const duration = (durationMs: number): string =>
  durationMs < 60_000
    ? `${(durationMs / 1000).toFixed(1)} s`
    : `${Math.floor(durationMs / 60_000)} min ${Math.round((durationMs % 60_000) / 1000)} s`;

/** Keeps the last bytes of both streams, in order of arrival. */
class Recent {
  #chunks: Uint8Array[] = [];
  #kept = 0;
  total = 0;

  push(bytes: Uint8Array): void {
    this.total += bytes.length;
    this.#chunks.push(bytes);
    this.#kept += bytes.length;
    while (this.#chunks.length > 1 && this.#kept - (this.#chunks[0]?.length ?? 0) >= EVIDENCE_BYTES) {
      this.#kept -= this.#chunks.shift()?.length ?? 0;
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-EVIDENCE_BYTES).toString('utf8');
  }

  endsLine(): boolean {
    const last = this.#chunks.at(-1);
    return last === undefined || last.at(-1) === 10;
  }
}

function tailOf(output: string): string {
  const lines = stripControl(output).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return lines.slice(-TAIL_LENGTH);
}

/** Small files of the tree under test, such as a script that a step starts. */
function fileReader(cwd: string): ReadFile {
  return (path) => {
    const file = resolve(cwd, path);
    if (!file.startsWith(`${resolve(cwd)}${sep}`)) return undefined;
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size < 256 * 1024 ? readFileSync(file, 'utf8') : undefined;
  };
}

/** The scripts that will really run: those of the tree under test. */
async function scriptsOf(cwd: string): Promise<Scripts> {
  const text = await readFile(join(cwd, 'package.json'), 'utf8').catch(() => undefined);
  return (text === undefined ? undefined : parsePackage(text)?.scripts) ?? {};
}

type Ran = { name: string; to: number };

/** Segments of steps between which nothing runs side by side, by index. */
function segmentsOf(steps: readonly GateStep[]): number[][] {
  const segments: number[][] = [];
  for (const [index, step] of steps.entries()) {
    const last = segments.at(-1)?.at(-1);
    const before = last === undefined ? undefined : steps[last];
    if (before && writesOf(before) && writesOf(step)) segments.at(-1)?.push(index);
    else segments.push([index]);
  }
  return segments;
}

/**
 * Runs the steps on pipes, without a terminal, and stops at the first in order that is not green: what did not run, or
 * comes after it, is not in the result. Steps that declare enough run side by side (see `stepOrder`), which changes
 * neither the verdict nor the order of what is shown. Error `cancelled` when the signal aborts; otherwise the verdict tells.
 */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const now = options.now ?? Date.now;
  const steps: StepResult[] = [];
  const done = (verdict: GateResult['verdict'], reason: string): GateResult => ({
    verdict,
    reason,
    commit: options.commit,
    steps,
    at: now(),
  });
  if (options.steps.length === 0) {
    options.output?.(encoder.encode('UNGATED: there is no gate step to run\r\n'));
    return done('ungated', 'no gate step checks this repository');
  }
  const scripts = await scriptsOf(options.cwd);
  const touched = await watchTracked(options.cwd);
  for (const indices of segmentsOf(options.steps)) {
    const segment = indices.flatMap((index) => options.steps[index] ?? []);
    const order = stepOrder(segment);
    const sideBySide = order.some((earlier, index) => earlier.length < index);
    const beside = sideBySide ? await rememberOthers(options.cwd) : undefined;
    steps.push(...(await runSegment(segment, order, options, scripts)));
    const last = steps.at(-1);
    if (last && last.verdict !== 'green') return done(last.verdict, `${last.name}: ${last.reason}`);
    const declared = declaredPaths(segment.flatMap(({ writes = [] }) => writes));
    const written = [...(await touched()), ...((await beside?.()) ?? [])].filter(
      (path) => !declared(path) && !matchesAny(path, options.generated ?? []),
    );
    if (written.length > 0) return done('vacuous', undeclaredWords(segment, written));
  }
  if (options.steps.every(({ evidence }) => evidence === 'none')) {
    return done('vacuous', 'every step is declared to prove nothing by itself');
  }
  return done('green', `${steps.length} step${steps.length === 1 ? '' : 's'} green${reusedWords(steps)}`);
}

function reusedWords(steps: readonly StepResult[]): string {
  const commits = steps.flatMap(({ reused }) => (reused ? [reused.commit.slice(0, 10)] : []));
  if (commits.length === 0) return '';
  return `, ${commits.length === steps.length ? 'all' : commits.length} reused from ${[...new Set(commits)].join(', ')}`;
}

/** What is written while it is judged may be another thing for as long as somebody looks, and the same again afterwards. */
const undeclaredWords = (segment: readonly GateStep[], written: readonly string[]): string => {
  const more = written.length > 3 ? ` and ${written.length - 3} more` : '';
  const what = `${written.slice(0, 3).join(', ')}${more} changed while ${listed(segment)} ran`;
  return segment.length > 1
    ? `${what}, and none of them declares to write it: correct their "writes" in the policy`
    : `${what}, so what it judged may not be what would land: let it check only, or name what it writes under "writes" of the step or "generated" in the policy`;
};

const listed = (steps: readonly { name: string }[]): string => {
  const names = steps.map(({ name }) => name);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

async function runSegment(
  steps: readonly GateStep[],
  order: readonly (readonly number[])[],
  options: GateOptions,
  scripts: Scripts,
): Promise<StepResult[]> {
  const output = new OrderedOutput(steps.length, (bytes) => options.output?.(bytes));
  const ended: Ran[] = [];
  const running = new Set<number>();
  const one = async (index: number, signal: AbortSignal): Promise<StepResult> => {
    const step = steps[index];
    if (!step) throw new Error(`there is no step ${index}`);
    const before = options.reuse?.results.get(step.name);
    if (before) {
      output.write(index, encoder.encode(`↺ ${step.name}  ${before.reason}\r\n`));
      output.end(index, true);
      options.onStep?.(step, { phase: 'ended', result: before });
      return before;
    }
    const lane = (bytes: Uint8Array): void => output.write(index, bytes);
    const say = (text: string): void => lane(encoder.encode(text));
    options.onStep?.(step, { phase: 'running' });
    say(`▶ ${step.name}${step.name === step.command ? '' : `  ${step.command}`}\r\n`);
    const from = performance.now();
    running.add(index);
    const key = options.reuse?.keys.get(step.name);
    const result = {
      ...(builtinName(step.command) === undefined
        ? await withCaches(step, options, say, () =>
            runStep(step, { ...options, signal, output: lane }, scripts),
          )
        : await builtinThread.ask(
            'builtin',
            { step, cwd: options.cwd, base: options.base },
            { signal, onProgress: say },
          )),
      ...(key === undefined ? {} : { key }),
    };
    running.delete(index);
    const beside = [
      ...ended.filter(({ to }) => to > from).map(({ name }) => name),
      ...[...running].flatMap((other) => steps[other]?.name ?? []),
    ];
    ended.push({ name: step.name, to: performance.now() });
    const mark = result.verdict === 'green' ? '✓' : '✗';
    const verdict =
      result.verdict === 'green' || result.verdict === 'red' ? '' : `${result.verdict.toUpperCase()}: `;
    const company = beside.length === 0 ? '' : `  (beside ${beside.join(', ')})`;
    say(`${mark} ${step.name}  ${duration(result.ms)}  ${verdict}${result.reason}${company}\r\n`);
    output.end(index, result.verdict === 'green');
    options.onStep?.(step, { phase: 'ended', result });
    return result;
  };
  return runInOrder({
    waitsFor: order,
    faucet: options.faucet ?? new StepFaucet(() => 1),
    signal: options.signal,
    run: one,
    goesOn: ({ verdict }) => verdict === 'green',
  });
}

/** Runs a step with its kept caches in place; only what a green run made of them is worth keeping. */
async function withCaches(
  step: GateStep,
  options: GateOptions,
  say: (text: string) => void,
  runIt: () => Promise<StepResult>,
): Promise<StepResult> {
  const { caches = [] } = step;
  const key = options.reuse?.caches.get(step.name);
  const { stepCaches } = options;
  if (caches.length === 0 || !stepCaches || key === undefined) return runIt();
  try {
    await stepCaches.bring(key, caches);
  } catch (thrown) {
    return notRun(step, toError(thrown).message);
  }
  let worth = false;
  try {
    const result = await runIt();
    worth = result.verdict === 'green';
    return result;
  } finally {
    const why = await stepCaches.take(key, caches, worth).catch(() => undefined); // the next one clears it
    if (why !== undefined) say(`${why}\r\n`);
  }
}

const notRun = (step: GateStep, reason: string): StepResult => ({
  name: step.name,
  command: step.command,
  exit: null,
  ms: 0,
  verdict: 'broken',
  reason,
  evidence: { outputBytes: 0 },
  tail: '',
});

async function runStep(step: GateStep, options: GateOptions, scripts: Scripts): Promise<StepResult> {
  const recent = new Recent();
  const cwd = step.dir === undefined ? options.cwd : join(options.cwd, step.dir);
  const result = await run({
    command: { shell: step.command },
    cwd,
    env: { ...options.env, ...step.env, CI: '1' },
    timeoutMs: step.timeoutMs,
    captureBytes: 4096,
    signal: options.signal,
    onStart: options.onStart,
    onOutput: (bytes) => {
      recent.push(bytes);
      options.output?.(bytes);
    },
  });
  if (!recent.endsLine()) options.output?.(encoder.encode('\r\n'));
  if (result.status === 'cancelled')
    throw new HeadwayError('cancelled', `gate step ${step.name} was cancelled`);
  const redact = options.redact ?? ((text: string) => text);
  // All of it before anything of it is cut: half of a secret is not known as one.
  const output = redact(recent.text());
  const judged = judgeStep(
    step,
    {
      status: result.status,
      exit: result.exit,
      durationMs: result.durationMs,
      output,
      outputBytes: recent.total,
      error: result.error,
    },
    step.dir === undefined ? scripts : await scriptsOf(cwd),
    fileReader(cwd),
  );
  return {
    name: step.name,
    command: step.command,
    exit: result.status === 'exited' ? result.exit : null,
    ms: result.durationMs,
    verdict: judged.verdict,
    reason: judged.reason,
    evidence: judged.evidence,
    tail: tailOf(output),
  };
}
