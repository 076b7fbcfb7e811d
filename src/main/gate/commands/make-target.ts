/** Text of a file in the tree under test; undefined where there is none. */
export type ReadFile = (path: string) => string | undefined;

/** Makefiles that let every error pass, only print, or give their lines to something that is no shell. */
const FORGIVES =
  /^\.IGNORE\s*:\s*$|^\s*(export\s+)?MAKEFLAGS\s*[:+?]?=(.*\s)?(-?[BbdekLmpqrRsSvw]*[nti][BbdeikLmnpqrRsStvw]*|--ignore-errors|--dry-run|--touch)\s*$|^\s*SHELL\s*[:?]?=\s*\S*\b(true|echo|cat|printf|sleep)\s*$/m;
const UNREAD = /^\s*(include|define|\.ONESHELL|\.IGNORE|ifn?eq|ifn?def)/m;

const makefileOf = (read: ReadFile): string | undefined =>
  read('GNUmakefile') ?? read('makefile') ?? read('Makefile');

/** Does the Makefile have its lines run by a shell that has the words of bash? */
export const makesWithBash = (read: ReadFile): boolean =>
  /^\s*SHELL\s*[:?]?=.*\b(ba|z|k)sh\s*$/m.test(makefileOf(read) ?? '');

/**
 * The shell lines of a Makefile's target, with those of its prerequisites that are targets as well, each in a shell of its own;
 * undefined where it can't be read.
 */
export function makeRecipe(read: ReadFile, target: string | undefined): string | undefined {
  const text = makefileOf(read);
  if (text === undefined) return undefined;
  if (FORGIVES.test(text)) return 'true';
  if (UNREAD.test(text)) return undefined;
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  const first = lines.find((line) => /^[\w-]+\s*:(?!=)/.test(line))?.split(':')[0];
  const recipe = recipeOf(lines, target ?? first?.trim() ?? '', new Set());
  return recipe === undefined || recipe.length === 0 ? undefined : recipe.join(' && ');
}

function recipeOf(lines: readonly string[], target: string, seen: Set<string>): string[] | undefined {
  if (seen.has(target)) return [];
  seen.add(target);
  const rule = new RegExp(`^${target.replace(/[^\w-]/g, '\\$&')}\\s*:(?!=)`);
  const start = lines.findIndex((line) => rule.test(line));
  const [, needed = '', own] = /^[^:]*:\s*([^;]*)(?:;(.*))?$/.exec(lines[start] ?? '') ?? [];
  // Variables, patterns and several rules for one target are not followed, so nothing may be concluded.
  if (start < 0 || /[$%:]/.test(needed) || lines.filter((line) => rule.test(line)).length > 1)
    return undefined;
  const recipe: string[] = [];
  for (const each of needed.split(/[\s|]+/).filter((word) => word !== '')) {
    if (!lines.some((line) => line.split(':')[0]?.trim() === each)) continue; // a file
    const inner = recipeOf(lines, each, seen);
    if (inner === undefined) return undefined;
    recipe.push(...inner);
  }
  const commands = own === undefined ? [] : [own];
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith('\t')) commands.push(line.slice(1));
    else if (line.trim() !== '' && !line.startsWith('#')) break;
  }
  for (const line of commands) {
    const [, signs = '', command = ''] = /^\s*([@+-]*)\s*(.*)$/s.exec(line) ?? [];
    if (command === '' || command.startsWith('#')) continue;
    recipe.push(signs.includes('-') ? `{ (${command}\n) || true; }` : `(${command}\n)`);
  }
  return recipe;
}
