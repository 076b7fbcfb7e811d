import { isManager, parsePackage, type Scripts, scriptsLike } from '../commands/package-scripts.ts';
import { commandsIn, commandWords, parseShell } from '../commands/shell-words.ts';
import { installedAt, programName, unwrapped } from '../commands/wrappers.ts';
import type { Tree as CommitTree } from './commit-tree.ts';
import { matchesGlobs } from './runner-globs.ts';

type Tree = Pick<CommitTree, 'files' | 'read'>;

/** One program that a gate step starts, with the package directory it runs in ('' is the top). */
export type Invocation = {
  step: string;
  program: string;
  /** As it was called, where that names a place. */
  file?: string;
  args: readonly string[];
  /** xargs adds words that it reads. */
  reads?: true;
  dir: string;
  /** The package.json scripts on the way to it, outermost first, as `dir:name`. */
  scripts: readonly string[];
};

/**
 * The words that only the shell knows as it runs, and that may name files: `$FILES`, `$(git ls-files)`, what xargs reads; undefined where there
 * are none. Which files such a run reads can't be told.
 */
export function openWords({ args, reads }: Pick<Invocation, 'args' | 'reads'>): string | undefined {
  if (reads) return 'what xargs reads';
  const open = args.find((arg) => arg === '' || (!arg.startsWith('-') && arg.includes('$')));
  return open === '' ? 'what another command prints' : open;
}

export type Package = { dir: string; name: string | undefined; scripts: Scripts };

const RUNS_FILES = /^(node|bun|deno|tsx|ts-node|(ba|da|z|k)?sh|python3?|make|just)$/;
const MAX_DEPTH = 10;
/** Stands for the program where a script is called that the package does not have. */
export const MISSING_SCRIPT = '(missing script)';

export function packagesOf(tree: Tree): Package[] {
  return tree.files
    .filter((path) => /(^|\/)package\.json$/.test(path) && !isFixture(path))
    .map((path) => {
      const file = parsePackage(tree.read(path) ?? '');
      const name = file?.whole.name;
      return {
        dir: path.slice(0, Math.max(0, path.length - 'package.json'.length - 1)),
        name: typeof name === 'string' ? name : undefined,
        scripts: file?.scripts ?? {},
      };
    });
}

/** Data for tests, not code of the project. */
export const isFixture = (path: string): boolean =>
  /(^|\/)(fixtures?|__fixtures__|testdata|test-data|__snapshots__|__mocks__|node_modules|vendor|third_party)\//i.test(
    path,
  );

type Walk = {
  step: string;
  tree: Tree;
  packages: readonly Package[];
  found: Invocation[];
  seen: Set<string>;
};

/** Everything that the steps start, through scripts, workspaces and wrappers, as far as it can be read. */
export function invocationsOf(
  steps: readonly { name: string; command: string; dir?: string | undefined }[],
  tree: Tree,
  packages: readonly Package[],
): Invocation[] {
  const found: Invocation[] = [];
  for (const { name, command, dir = '' } of steps) {
    const walk: Walk = { step: name, tree, packages, found, seen: new Set() };
    line(command, dir, [], walk);
  }
  return found;
}

function line(text: string, start: string, scripts: readonly string[], walk: Walk): void {
  if (scripts.length > MAX_DEPTH) return;
  let dir = start;
  for (const words of simpleCommands(text)) {
    if (words[0] === 'cd' && words[1] !== undefined) dir = joinPath(dir, words[1]);
    else command(words, dir, scripts, walk);
  }
}

/** The words of each simple command of a line. */
function simpleCommands(text: string): string[][] {
  const script = parseShell(text);
  if (script) return commandsIn(script).map((each) => commandWords(each).map((word) => word.text));
  return text.split(/&&|\|\||[;|\n]/).map((part) =>
    part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}

function joinPath(dir: string, more: string): string {
  const parts: string[] = [];
  for (const part of `${dir}/${more}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function command(given: readonly string[], dir: string, scripts: readonly string[], walk: Walk): void {
  const words = unwrapped(given);
  const installed = installedAt(words);
  // What node is given before the program, it loads before it.
  if (installed !== undefined && installed > 1) {
    walk.found.push({ step: walk.step, program: 'node', args: words.slice(1, installed), dir, scripts });
  }
  const [first, ...args] = words.slice(installed ?? 0);
  if (first === undefined || first === '') return;
  const program = programName(first);
  const outside = given.slice(0, given.length - words.length);
  const reads = outside.some((word) => programName(word) === 'xargs') ? { reads: true as const } : {};
  if (/^(ba|da|z|k)?sh$/.test(program) && /^-[a-z]*c$/.test(args[0] ?? '')) {
    line(args[1] ?? '', dir, scripts, walk);
  } else if (isManager(program)) manager(program, args, dir, scripts, walk);
  else if (/^(run-s|run-p|npm-run-all2?|wireit)$/.test(program)) {
    for (const name of args.filter((arg) => !arg.startsWith('-'))) namedScripts(name, dir, scripts, walk);
  } else if (program === 'concurrently') {
    for (const part of args.filter((arg) => !arg.startsWith('-'))) {
      if (part.startsWith('npm:')) namedScripts(part.slice(4), dir, scripts, walk);
      else line(part, dir, scripts, walk);
    }
  } else if (/^(turbo|nx|lerna)$/.test(program)) taskRunner(program, args, scripts, walk);
  else {
    const file = first.includes('/') ? { file: first } : {};
    walk.found.push({ step: walk.step, program, ...file, args, ...reads, dir, scripts });
    if (RUNS_FILES.test(program)) mentionedScripts(program, args, dir, scripts, walk);
  }
}

function runScript(
  name: string,
  dir: string,
  more: readonly string[],
  scripts: readonly string[],
  walk: Walk,
): boolean {
  const owner = walk.packages.find((each) => each.dir === dir);
  const text = owner && Object.hasOwn(owner.scripts, name) ? owner.scripts[name] : undefined;
  if (owner === undefined || text === undefined) return false;
  const key = `${dir}:${name}`;
  if (walk.seen.has(key) || scripts.includes(key)) return true;
  walk.seen.add(key);
  const inside = [...scripts, key];
  for (const around of [`pre${name}`, name, `post${name}`]) {
    const body = Object.hasOwn(owner.scripts, around) ? owner.scripts[around] : undefined;
    if (body !== undefined)
      line(around === name ? [body, ...more.map(quote)].join(' ') : body, dir, inside, walk);
  }
  return true;
}

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function namedScripts(name: string, dir: string, scripts: readonly string[], walk: Walk): void {
  const owner = walk.packages.find((each) => each.dir === dir);
  const [plain = '', ...more] = name.split(' ');
  const names = plain.includes('*')
    ? Object.keys(owner?.scripts ?? {}).filter((each) =>
        matchesGlobs(each.replaceAll(':', '/'), [plain.replaceAll(':', '/')]),
      )
    : [plain];
  for (const each of names) runScript(each, dir, more, scripts, walk);
}

function manager(
  program: string,
  given: readonly string[],
  start: string,
  scripts: readonly string[],
  walk: Walk,
): void {
  const end = given.indexOf('--');
  const before = end < 0 ? [...given] : given.slice(0, end);
  const passed = end < 0 ? [] : given.slice(end + 1);
  let dirs = [start];
  const wanted: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < before.length; at += 1) {
    const word = before[at] ?? '';
    const [option = '', inline] = word.split('=', 2);
    const value = (): string => inline ?? before[++at] ?? '';
    if (rest.length > 1 || (rest.length === 1 && !/^(run|run-script)$/.test(rest[0] ?? ''))) rest.push(word);
    else if (/^(--prefix|-C|--cwd|--dir)$/.test(option)) dirs = [joinPath(start, value())];
    else if (/^(-w|--workspace|--filter|-F)$/.test(option) && !(program === 'pnpm' && option === '-w')) {
      wanted.push(value());
    } else if (/^(--workspaces|-ws|-r|--recursive)$/.test(option)) dirs = members(walk.packages);
    else if (word === 'workspaces' || word === 'workspace') {
      dirs = word === 'workspace' ? selected(before[++at] ?? '', walk.packages) : members(walk.packages);
    } else if (word === 'foreach') dirs = members(walk.packages);
    else if (!word.startsWith('-')) rest.push(word);
  }
  if (wanted.length > 0) dirs = filtered(wanted, walk.packages);
  // `npm test -w a` names the workspace behind the script.
  const behind = rest.findIndex((word) => /^(-w|--workspaces?|-ws|-r)(=|$)/.test(word));
  if (behind > 0 && program === 'npm') {
    const [option = '', inline] = (rest[behind] ?? '').split('=', 2);
    dirs = /^(--workspaces|-ws)$/.test(option)
      ? members(walk.packages)
      : selected(inline ?? rest[behind + 1] ?? '', walk.packages);
    rest.splice(behind, /^(--workspaces|-ws)$/.test(option) || inline !== undefined ? 1 : 2);
  }
  const [verb = '', ...more] = rest;
  const runs = verb === 'run' || verb === 'run-script';
  if (verb === 'exec' || verb === 'dlx' || verb === 'x') {
    for (const dir of dirs) command([...more, ...passed], dir, scripts, walk);
    return;
  }
  const name = runs ? (more[0] ?? '') : verb === 't' || verb === 'tst' ? 'test' : verb;
  const args = [...(runs ? more.slice(1) : more), ...passed];
  if (program === 'bun' && !runs && name === 'test') {
    for (const dir of dirs) walk.found.push({ step: walk.step, program: 'bun test', args, dir, scripts });
    return;
  }
  const byPattern = program === 'pnpm' && name.startsWith('/');
  if (runs && !byPattern && dirs.length === 1 && name !== '' && !given.includes('--if-present')) {
    const scriptsThere = walk.packages.find((each) => each.dir === dirs[0])?.scripts ?? {};
    if (!Object.hasOwn(scriptsThere, name)) {
      walk.found.push({
        step: walk.step,
        program: MISSING_SCRIPT,
        args: [name],
        dir: dirs[0] ?? '',
        scripts,
      });
    }
  }
  if (byPattern) {
    for (const dir of dirs) {
      const there = walk.packages.find((each) => each.dir === dir)?.scripts ?? {};
      for (const each of scriptsLike(name, there)) runScript(each, dir, args, scripts, walk);
    }
    return;
  }
  for (const dir of dirs) {
    // yarn and pnpm start a binary where no script has the name.
    if (!runScript(name, dir, args, scripts, walk) && !runs && /^(yarn|pnpm)$/.test(program)) {
      walk.found.push({ step: walk.step, program: name, args, dir, scripts });
    }
  }
}

const members = (packages: readonly Package[]): string[] =>
  packages.filter(({ dir }) => dir !== '').map(({ dir }) => dir);

/** Filters add up; those with `!` take away, from all where there are no others. */
function filtered(filters: readonly string[], packages: readonly Package[]): string[] {
  const taken = filters.filter((filter) => !filter.startsWith('!'));
  const away = new Set(
    filters
      .filter((filter) => filter.startsWith('!'))
      .flatMap((filter) => selected(filter.slice(1), packages)),
  );
  const from = taken.length === 0 ? members(packages) : taken.flatMap((filter) => selected(filter, packages));
  return [...new Set(from)].filter((dir) => !away.has(dir));
}

function selected(wanted: string, packages: readonly Package[]): string[] {
  const plain = wanted
    .replace(/^\.\.\.|\.\.\.$/g, '')
    .replace(/^\{|\}$/g, '')
    .replace(/^\.\//, '')
    .replace(/\/$/, '');
  return packages
    .filter(
      ({ name, dir }) =>
        dir === plain || name === plain || matchesGlobs(name ?? '', [plain]) || matchesGlobs(dir, [plain]),
    )
    .map(({ dir }) => dir);
}

function taskRunner(program: string, args: readonly string[], scripts: readonly string[], walk: Walk): void {
  const names = args
    .filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-many' && arg !== 'affected')
    .flatMap((arg) => arg.split(','))
    .map((arg) => arg.replace(/^.*[#:]/, ''));
  const inline = args.flatMap((arg) => /^--(?:targets?)=(.+)$/.exec(arg)?.[1]?.split(',') ?? []);
  walk.found.push({ step: walk.step, program, args, dir: '', scripts });
  for (const dir of members(walk.packages)) {
    for (const name of [...names, ...inline]) runScript(name, dir, [], scripts, walk);
  }
}

/** A program of the repository's own that names scripts in its text: it is taken to run them. */
function mentionedScripts(
  program: string,
  args: readonly string[],
  dir: string,
  scripts: readonly string[],
  walk: Walk,
): void {
  const file = /^(make|just)$/.test(program)
    ? walk.tree.files.find((path) => /^(Makefile|justfile)$/i.test(path))
    : joinPath(dir, args.find((arg) => !arg.startsWith('-') && arg !== 'run') ?? '');
  const text = file === undefined ? undefined : walk.tree.read(file);
  if (text === undefined) return;
  const owner = walk.packages.find((each) => each.dir === dir);
  for (const name of Object.keys(owner?.scripts ?? {})) {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (
      new RegExp(
        `(npm (run |run-script )?|pnpm (run )?|yarn (run )?|bun run |['"\`])${escaped}(?![\\w:.-])`,
      ).test(text)
    ) {
      runScript(name, dir, [], scripts, walk);
    }
  }
}
