import { createHash } from 'node:crypto';
import type { GateStep } from '../../../shared/domain.ts';
import { declaredPaths } from '../../paths/globs.ts';
import { mayTouch } from '../policy/step-order.ts';

export type KeyInput = {
  /** The tree under test: what git knows of each file, by path. */
  files: ReadonlyMap<string, string>;
  /** Files that count for every step, whatever it says that it reads. */
  countsForAll: (path: string) => boolean;
  /** All else that a step hangs on: commands, dependencies, environment, programs. */
  setting: unknown;
  /** What the step takes from the history, such as its commit; undefined: nothing. */
  historyOf: (step: GateStep) => unknown;
};

export const digest = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);

/**
 * Pure: for each step a hash of all that decides how it ends. Two runs with the same key judge the same: its command, what
 * it reads of the tree (all of it where it does not say), and the same of the earlier steps whose output it may read.
 */
export function stepKeys(steps: readonly GateStep[], input: KeyInput): string[] {
  const files = [...input.files].sort(([a], [b]) => (a < b ? -1 : 1));
  const keys: string[] = [];
  for (const [at, step] of steps.entries()) {
    const { name: _name, timeoutMs: _timeout, after: _after, caches: _caches, ...definition } = step;
    const reads = step.reads === undefined ? () => true : declaredPaths(step.reads);
    const built = steps
      .slice(0, at)
      .flatMap((earlier, index) => (mayTouch(earlier, step) ? [keys[index]] : []));
    keys.push(
      digest([
        input.setting,
        Object.entries(definition).sort(([a], [b]) => (a < b ? -1 : 1)),
        input.historyOf(step) ?? null,
        files.filter(([path]) => input.countsForAll(path) || reads(path)),
        built,
      ]),
    );
  }
  return keys;
}
