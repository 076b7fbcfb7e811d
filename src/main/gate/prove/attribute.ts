import { stripControl } from '../run/evidence.ts';
import { type Abilities, couldCatch } from './abilities.ts';
import type { Break } from './breaks.ts';

export type StepRun = { step: string; red: boolean; output: string; ms: number };

const FAILED_LINE = /FAIL|✗|×|✖|❯|❌|not ok|location:|^\s+at |^\s*\d+\) /;

/**
 * Pure: the faults that a red step names in its output. A mention counts only where the same step did not make it while all
 * was well; a logic fault counts where a failing test reaches its file and no other fault of the batch.
 */
export function namedBreaks(
  run: StepRun,
  batch: readonly Break[],
  known: {
    baseline: string;
    ability: Abilities;
    /** Test files and what they reach through imports. */
    reach: ReadonlyMap<string, ReadonlySet<string>>;
    /** Where a test file is run from, if not from its source. */
    outputs: ReadonlyMap<string, string>;
  },
): Break[] {
  if (!run.red) return [];
  const text = stripControl(run.output);
  const before = stripControl(known.baseline);
  const mentions = (path: string): boolean => text.includes(path) && !before.includes(path);
  return batch.filter((each) => {
    if (!couldCatch(known.ability, each.kind)) return false;
    if (each.marker !== undefined && new RegExp(`${each.marker}(?!\\d)`).test(text)) return true;
    if (each.kind === 'logic') return failingTests(text, known).some((test) => onlyOne(test, each));
    if (!pathTells(known.ability, each.kind)) return false;
    return mentions(each.file) || mentions(each.file.replaceAll('/', '\\'));
  });

  function onlyOne(test: string, wanted: Break): boolean {
    const reached = known.reach.get(test) ?? new Set<string>();
    const hit = batch.filter(({ file }) => reached.has(file));
    return hit.length === 1 && hit[0] === wanted;
  }
}

/** A linter also names a file for the style of what was put there, and a test runner lists what it runs. */
function pathTells(ability: Abilities, kind: Break['kind']): boolean {
  if (ability.test) return false;
  return kind === 'lint' ? ability.lint || ability.unknown : !ability.lint && !ability.unknown;
}

function failingTests(text: string, known: Parameters<typeof namedBreaks>[2]): string[] {
  const lines = text.split('\n').filter((line) => FAILED_LINE.test(line));
  return [...known.reach.keys()].filter((path) => {
    const output = known.outputs.get(path);
    return lines.some((line) => line.includes(path) || (output !== undefined && line.includes(output)));
  });
}
