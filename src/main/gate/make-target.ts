/** Text of a file in the tree under test; undefined where there is none. */
export type ReadFile = (path: string) => string | undefined;

/** The shell lines of a Makefile's target, without its prerequisites; undefined where it can't be read. */
export function makeRecipe(read: ReadFile, target: string | undefined): string | undefined {
  const text = read('Makefile') ?? read('makefile') ?? read('GNUmakefile');
  if (text === undefined || /^\s*(include|define|\.ONESHELL|\.IGNORE)/m.test(text)) return undefined;
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  const start = lines.findIndex((line) =>
    target === undefined
      ? /^[\w-]+\s*:(?!=)/.test(line)
      : new RegExp(`^${target.replace(/[^\w-]/g, '\\$&')}\\s*:(?!=)`).test(line),
  );
  const [, prerequisites = ''] = (lines[start] ?? '').split(':');
  // What a prerequisite does is not followed, so nothing may be concluded.
  if (start < 0 || prerequisites.trim() !== '') return undefined;
  const recipe: string[] = [];
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith('\t')) {
      if (line.trim() === '') continue;
      break;
    }
    const command = line.slice(1).replace(/^[@+]*/, '');
    recipe.push(command.startsWith('-') ? `{ ${command.slice(1).replace(/^[@+]*/, '')}; } || true` : command);
  }
  return recipe.length === 0 ? undefined : `set -e\n${recipe.join('\n')}`;
}
