import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateStep } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Finding, Proof, ProofCell } from '../../../shared/gate-report.ts';
import type { Facts } from '../audit/facts.ts';
import type { TypescriptApi } from '../audit/typescript.ts';
import { type GateOptions, runGate } from '../run/run-gate.ts';
import { type Abilities, abilitiesOf, couldCatch } from './abilities.ts';
import { namedBreaks, type StepRun } from './attribute.ts';
import type { Break } from './breaks.ts';
import { likelyCause } from './likely-cause.ts';
import { batchesOf, planBreaks } from './plan.ts';

export type ProveOptions = Omit<GateOptions, 'steps' | 'output' | 'onStep'> & {
  ts: TypescriptApi;
  facts: Facts;
  findings: readonly Finding[];
  /** Test files and what they reach through imports. */
  reach: ReadonlyMap<string, ReadonlySet<string>>;
  /** Areas or files to prove; default: all. */
  only?: string;
  onProgress?: (text: string) => void;
};

type Caught = { step: string; ms: number };

/** A slow machine, or a loop that the fault made endless. */
const PATIENCE = 5;
const LEAST_TIMEOUT_MS = 60_000;

/**
 * Breaks the tree on purpose, fault by fault or in batches in which none can hide another, and sees which step notices. Every
 * file is put back; the caller proves that the tree is as before. Error `cancelled` when the signal aborts.
 */
export async function proveGate(
  options: ProveOptions,
): Promise<Pick<Proof, 'gateRuns' | 'provable' | 'reason' | 'cells' | 'ms'>> {
  const startedAt = performance.now();
  const prover = new Prover(options);
  const broken = await prover.baseline();
  if (broken !== undefined) {
    return { gateRuns: 1, provable: false, reason: broken, cells: [], ms: performance.now() - startedAt };
  }
  const reachedByTests = new Set([...options.reach.values()].flatMap((files) => [...files]));
  const plan = planBreaks(options.ts, options.facts, { only: options.only, reachedByTests });
  for (const batch of batchesOf(plan.breaks)) await prover.prove(batch);
  const cells = [...plan.breaks.map((each) => prover.cell(each)), ...plan.notApplicable];
  const missed = cells.filter(({ result }) => result === 'missed').length;
  const caught = cells.filter(({ result }) => result === 'caught').length;
  return {
    gateRuns: prover.runs,
    provable: true,
    reason:
      missed === 0
        ? `${caught} of ${caught} breaks caught`
        : `${missed} of ${caught + missed} breaks stay unseen`,
    cells: cells.sort((a, b) => (a.area === b.area ? 0 : a.area < b.area ? -1 : 1)),
    ms: performance.now() - startedAt,
  };
}

class Prover {
  readonly #options: ProveOptions;
  readonly #abilities: ReadonlyMap<string, Abilities>;
  readonly #baseline = new Map<string, StepRun>();
  readonly #outputs: ReadonlyMap<string, string>;
  readonly #caught = new Map<Break, Caught>();
  runs = 0;

  constructor(options: ProveOptions) {
    this.#options = options;
    this.#abilities = new Map(abilitiesOf(options.facts).map((each) => [each.step, each]));
    this.#outputs = new Map(options.facts.gate.typechecks.flatMap((fact) => [...fact.outputs]));
  }

  /** Why nothing can be proved: the gate is not green as it is. */
  async baseline(): Promise<string | undefined> {
    this.#options.onProgress?.('the gate as it is');
    const runs = await this.#run(this.#options.facts.policy.gate);
    for (const run of runs) this.#baseline.set(run.step, run);
    const red = runs.find((run) => run.red);
    return red === undefined ? undefined : `the gate is not green before anything is broken: ${red.step}`;
  }

  /** Rounds: what is named is taken out and the steps that were red are run again, until they are green or name nobody. */
  async prove(batch: readonly Break[]): Promise<void> {
    const steps = this.#options.facts.policy.gate.filter(({ name }) => {
      const ability = this.#abilities.get(name);
      return ability !== undefined && batch.some(({ kind }) => couldCatch(ability, kind));
    });
    if (steps.length === 0) return; // nothing could notice: missed
    let open = [...batch];
    let again = steps;
    while (open.length > 0 && again.length > 0) {
      const progress = `${open.length} break${open.length === 1 ? '' : 's'} (${[...new Set(open.map(({ kind }) => kind))].join(', ')})`;
      this.#options.onProgress?.(progress);
      const runs = await this.#withBreaks(open, again);
      const [alone] = open.length === 1 ? open : [];
      const red = runs.filter((run) => run.red && (!alone || this.#tells(run, alone)));
      if (red.length === 0) return;
      const named = alone
        ? [alone]
        : open.filter((each) => red.some((run) => this.#names(run, open).includes(each)));
      for (const each of named) this.#note(each, red, open);
      if (named.length === 0) {
        const [one] = open;
        // Something noticed, but not what: each alone.
        if (one) for (const each of open) await this.prove([each]);
        return;
      }
      open = open.filter((each) => !named.includes(each));
      again = again.filter(({ name }) => red.some(({ step }) => step === name));
    }
  }

  /** A step that is red with this break alone has caught it, unless it is a linter that dislikes how the break is written. */
  #tells(run: StepRun, alone: Break): boolean {
    const ability = this.#abilities.get(run.step);
    if (!ability || !couldCatch(ability, alone.kind)) return false;
    const linterOnly = ability.lint && !ability.typecheck && !ability.test && !ability.build;
    return !linterOnly || alone.kind === 'lint' || this.#names(run, [alone]).length > 0;
  }

  #note(each: Break, red: readonly StepRun[], open: readonly Break[]): void {
    const run = red.find((one) => open.length === 1 || this.#names(one, open).includes(each)) ?? red[0];
    if (run) this.#caught.set(each, { step: run.step, ms: run.ms });
  }

  #names(run: StepRun, open: readonly Break[]): Break[] {
    const ability = this.#abilities.get(run.step);
    if (!ability) return [];
    return namedBreaks(run, open, {
      baseline: this.#baseline.get(run.step)?.output ?? '',
      ability,
      reach: this.#options.reach,
      outputs: this.#outputs,
    });
  }

  async #withBreaks(breaks: readonly Break[], steps: readonly GateStep[]): Promise<StepRun[]> {
    const before = new Map<string, Buffer>();
    try {
      for (const each of breaks) {
        const path = join(this.#options.cwd, each.file);
        const bytes = await readFile(path);
        before.set(path, bytes);
        await writeFile(path, each.apply(bytes.toString('utf8')));
      }
      return await this.#run(steps);
    } finally {
      for (const [path, bytes] of before) await writeFile(path, bytes);
    }
  }

  /** Each step by itself: one that is red stops no other. */
  async #run(steps: readonly GateStep[]): Promise<StepRun[]> {
    this.runs += 1;
    const runs: StepRun[] = [];
    for (const step of steps) {
      if (this.#options.signal?.aborted) throw new HeadwayError('cancelled', 'the proof was cancelled');
      const chunks: Uint8Array[] = [];
      const usualMs = this.#baseline.get(step.name)?.ms;
      const timeoutMs =
        usualMs === undefined
          ? step.timeoutMs
          : Math.min(step.timeoutMs, Math.max(LEAST_TIMEOUT_MS, usualMs * PATIENCE));
      const {
        ts: _ts,
        facts: _facts,
        findings: _findings,
        reach: _reach,
        only: _only,
        onProgress: _progress,
        ...gate
      } = this.#options;
      const result = await runGate({
        ...gate,
        steps: [{ ...step, timeoutMs }],
        output: (bytes) => chunks.push(bytes),
      });
      runs.push({
        step: step.name,
        red: result.verdict !== 'green',
        output: Buffer.concat(chunks).toString('utf8'),
        ms: result.steps[0]?.ms ?? 0,
      });
    }
    return runs;
  }

  cell(each: Break): ProofCell {
    const { area, kind, file, edit } = each;
    const caught = this.#caught.get(each);
    const base = { area, break: kind, file, edit };
    if (caught) return { ...base, result: 'caught', step: caught.step, ms: caught.ms };
    return { ...base, result: 'missed', why: likelyCause(kind, file, this.#options.findings) };
  }
}
