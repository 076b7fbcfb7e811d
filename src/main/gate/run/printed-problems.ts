import { checkerOf } from '../commands/checkers.ts';
import type { Programs } from '../commands/programs.ts';

/** Faults that a type checker or linter printed, by its own count or line by line. */
export type PrintedProblems = { tool: string; errors: number };

/** Whose words these may be: several tools have the same. `tool` is named where it is not known which of them it was. */
type Words = { tool: string; printers: readonly string[] };

const FRAMEWORKS = ['next build', 'next lint', 'ng build', 'ng test', 'ng lint'];
const TYPES: Words = {
  tool: 'tsc',
  printers: ['tsc', 'vue-tsc', 'tsgo', 'svelte-check', 'deno check', 'deno test', 'deno lint', ...FRAMEWORKS],
};
const COUNTS: readonly (readonly [RegExp, Words])[] = [
  [
    /^✖ \d+ problems? \((\d+) errors?, \d+ warnings?\)$/m,
    { tool: 'eslint', printers: ['eslint', 'xo', 'standard', 'stylelint', ...FRAMEWORKS] },
  ],
  [
    /^Found (\d+) errors?(?: in .*|\. Watching.*)?\.?$/m,
    { tool: 'tsc', printers: [...TYPES.printers, 'biome', 'mypy', 'ruff'] },
  ],
  [/^Found \d+ warnings? and (\d+) errors?\.$/m, { tool: 'oxlint', printers: ['oxlint'] }],
  [/^svelte-check found (\d+) errors?/m, { tool: 'svelte-check', printers: ['svelte-check'] }],
];
const TYPE_ERROR = /^\S.*?(?:\(\d+,\d+\)|:\d+:\d+)(?::| -) error TS\d+:/gm;

/**
 * Pure: what the output (without control codes) says is wrong, though the exit code may not. `programs` is what the step may start. Tests of a
 * compiler or a linter print such lines as well: where none of the programs is one that prints them, they are a test's.
 */
export function printedProblems(text: string, programs: Programs): PrintedProblems | undefined {
  const checkers = programs.found.map(({ name, args }) => checkerOf(name, args));
  const told = ({ tool, printers }: Words, errors: number): PrintedProblems | undefined => {
    const printer = checkers.find((checker) => checker !== undefined && printers.includes(checker));
    if (printer !== undefined) return { tool: printer, errors };
    return programs.isWhole && !checkers.includes(undefined) ? undefined : { tool, errors };
  };
  for (const [pattern, words] of COUNTS) {
    const errors = Number(pattern.exec(text)?.[1] ?? 0);
    const problems = errors > 0 ? told(words, errors) : undefined;
    if (problems) return problems;
  }
  const types = text.match(TYPE_ERROR)?.length ?? 0;
  return types > 0 ? told(TYPES, types) : undefined;
}

/** Pure: `make` that says it had nothing to do, in these words. */
export function nothingToMake(text: string): string | undefined {
  const said = text.split('\n').filter((line) => line.trim() !== '');
  const idle =
    /^make(\[\d+\])?: (.* is up to date\.|Nothing to be done for .*|(Enter|Leav)ing directory .*)$/;
  if (said.some((line) => /^make: /.test(line)) && said.every((line) => idle.test(line)))
    return said[0]?.trim();
  return undefined;
}

/** Pure: a linter that says it looked at no file at all, in these words. */
export function checkedNothing(text: string): string | undefined {
  const said = text.match(/^(Checked \d+ files? in .*|Finished in \S+ on \d+ files? .*)$/gm) ?? [];
  return said.length > 0 && said.every((line) => /\b(Checked|on) 0 files?\b/.test(line))
    ? said[0]
    : undefined;
}
