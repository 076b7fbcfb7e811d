import { globMatch } from '../../paths/globs.ts';

const lines = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('!'));

/**
 * Pure: does a changed `.gitignore` ignore files that are tracked? Linters that follow it would not look at them any more. Rather
 * one too many than one too few.
 */
export function ignoresTracked(
  path: string,
  before: string | undefined,
  after: string | undefined,
  tracked: readonly string[],
): boolean {
  const dir = path.slice(0, path.length - '.gitignore'.length);
  const old = new Set(lines(before));
  const added = lines(after).filter((line) => !old.has(line));
  if (added.length === 0) return false;
  const patterns = added.map((line) => globMatch(line));
  return tracked.some(
    (file) => file.startsWith(dir) && patterns.some((matches) => matches(file.slice(dir.length))),
  );
}
