import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { GateResult, GateStep, StepResult } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { Environment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';
import { runBuiltin } from './builtin/builtin.ts';
import { builtinName } from './builtin/names.ts';
import { stripControl } from './evidence.ts';
import { judgeStep } from './judge-step.ts';
import type { ReadFile } from './make-target.ts';
import { parsePackage, type Scripts } from './package-scripts.ts';

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
  signal?: AbortSignal;
  /** Headings and the steps' own bytes, as they come. */
  output?: (bytes: Uint8Array) => void;
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

/**
 * Runs the steps one after another on pipes, without a terminal, and stops at the first that is not green: what did
 * not run is not in the result. Error `cancelled` when the signal aborts; otherwise the verdict tells.
 */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const now = options.now ?? Date.now;
  const say = (text: string): void => options.output?.(encoder.encode(text));
  const steps: StepResult[] = [];
  const done = (verdict: GateResult['verdict'], reason: string): GateResult => ({
    verdict,
    reason,
    commit: options.commit,
    steps,
    at: now(),
  });
  if (options.steps.length === 0) {
    say('UNGATED: there is no gate step to run\r\n');
    return done('ungated', 'no gate step checks this repository');
  }
  const scripts = await scriptsOf(options.cwd);
  for (const step of options.steps) {
    options.onStep?.(step, { phase: 'running' });
    say(`▶ ${step.name}${step.name === step.command ? '' : `  ${step.command}`}\r\n`);
    const result =
      builtinName(step.command) === undefined
        ? await runStep(step, options, scripts)
        : await runBuiltin(step, { cwd: options.cwd, base: options.base, say });
    steps.push(result);
    const mark = result.verdict === 'green' ? '✓' : '✗';
    const verdict =
      result.verdict === 'green' || result.verdict === 'red' ? '' : `${result.verdict.toUpperCase()}: `;
    say(`${mark} ${step.name}  ${duration(result.ms)}  ${verdict}${result.reason}\r\n`);
    options.onStep?.(step, { phase: 'ended', result });
    if (result.verdict !== 'green') return done(result.verdict, `${step.name}: ${result.reason}`);
  }
  if (options.steps.every(({ evidence }) => evidence === 'none')) {
    return done('vacuous', 'every step is declared to prove nothing by itself');
  }
  return done('green', `${steps.length} step${steps.length === 1 ? '' : 's'} green`);
}

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
  const output = recent.text();
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
  const redact = options.redact ?? ((text: string) => text);
  return {
    name: step.name,
    command: step.command,
    exit: result.status === 'exited' ? result.exit : null,
    ms: result.durationMs,
    verdict: judged.verdict,
    reason: redact(judged.reason),
    evidence: judged.evidence,
    // All of it before it is cut: half of a secret is not known as one.
    tail: tailOf(redact(output)),
  };
}
