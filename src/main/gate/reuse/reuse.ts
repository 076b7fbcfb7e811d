import type { GateResult, GateStep, StepResult } from '../../../shared/domain.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import { builtinName } from '../builtin/names.ts';
import { mayTouch } from '../policy/step-order.ts';

/** What changes without a trace (a program of the machine, a server that tests ask) is not believed for longer. */
const MAX_AGE_MS = 24 * HOUR_MS;

/** Built-in steps take no time, and what proves nothing by itself has nothing to hand on. */
const isReusable = (step: GateStep): boolean =>
  builtinName(step.command) === undefined && step.evidence === undefined;

/** The words under which a result is reused are those of its own run, with where that was. */
function asReused(result: StepResult, step: GateStep, gate: GateResult): StepResult {
  const reused = result.reused ?? { commit: gate.commit, at: gate.at };
  const own = result.reason.replace(/^reused from [0-9a-f]+: /, '');
  return {
    ...result,
    name: step.name,
    ms: 0,
    reason: `reused from ${reused.commit.slice(0, 10)}: ${own}`,
    reused,
  };
}

/**
 * Pure: the steps that need not run again, by name, with the result of the run that judged the same before. Only green
 * results of gates that were green as a whole count. A step that may write what a step that does run reads, runs too.
 */
export function reusableResults(
  steps: readonly GateStep[],
  keys: ReadonlyMap<string, string>,
  earlier: readonly GateResult[],
  nowMs: number,
): Map<string, StepResult> {
  const known = new Map<string, { result: StepResult; gate: GateResult }>();
  for (const gate of earlier) {
    if (gate.verdict !== 'green') continue;
    for (const result of gate.steps) {
      const age = nowMs - (result.reused?.at ?? gate.at);
      if (result.verdict !== 'green' || result.key === undefined || age < 0 || age > MAX_AGE_MS) continue;
      known.set(result.key, { result, gate });
    }
  }
  const found = new Map<string, StepResult>();
  for (const step of steps) {
    const before = isReusable(step) ? known.get(keys.get(step.name) ?? '') : undefined;
    if (before) found.set(step.name, asReused(before.result, step, before.gate));
  }
  // From the last one: whether a step runs hangs only on those behind it.
  for (const [at, step] of [...steps.entries()].reverse()) {
    const needed = steps
      .slice(at + 1)
      .some(
        (later) =>
          !found.has(later.name) && builtinName(later.command) === undefined && mayTouch(step, later),
      );
    if (needed) found.delete(step.name);
  }
  return found;
}
