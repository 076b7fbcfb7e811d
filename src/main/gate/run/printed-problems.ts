/** Faults that a type checker or linter printed, by its own count or line by line. */
export type PrintedProblems = { tool: string; errors: number };

const COUNTS: readonly (readonly [string, RegExp])[] = [
  ['eslint', /^✖ \d+ problems? \((\d+) errors?, \d+ warnings?\)$/m],
  ['tsc', /^Found (\d+) errors?(?: in .*|\. Watching.*)?\.?$/m],
  ['biome', /^Found (\d+) errors?\.$/m],
  ['oxlint', /^Found \d+ warnings? and (\d+) errors?\.$/m],
  ['svelte-check', /^svelte-check found (\d+) errors?/m],
];
const TYPE_ERROR = /^\S.*?(?:\(\d+,\d+\)|:\d+:\d+)(?::| -) error TS\d+:/gm;

/** Pure: what the output (without control codes) says is wrong, though the exit code may not. */
export function printedProblems(text: string): PrintedProblems | undefined {
  for (const [tool, pattern] of COUNTS) {
    const errors = Number(pattern.exec(text)?.[1] ?? 0);
    if (errors > 0) return { tool, errors };
  }
  const types = text.match(TYPE_ERROR)?.length ?? 0;
  return types > 0 ? { tool: 'tsc', errors: types } : undefined;
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
