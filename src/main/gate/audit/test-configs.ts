import { COMPUTED, type ConfigValue, configValue, isObject, stringsOf, valueAt } from './config-value.ts';
import { matchesGlobs, runnerGlob } from './runner-globs.ts';
import { below, option, options, positionals, within } from './test-paths.ts';
import type { Selection, TestContext } from './test-selection.ts';

const CONFIG_NAMES = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
);
const WORKSPACE_NAMES = ['vitest.workspace', 'vitest.projects'].flatMap((name) =>
  ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `${name}.${extension}`),
);
const VITEST_INCLUDE = ['**/*.{test,spec}.?(c|m)[jt]s?(x)'];
const VITEST_EXCLUDE = ['**/node_modules/**', '**/.git/**'];
/** Excluded by default before version 4. */
const OLD_EXCLUDE = ['**/dist/**', '**/cypress/**', '**/.{idea,cache,output,temp}/**'];
const VITEST_VALUES =
  /^(-c|--config|-r|--root|--dir|-t|--testNamePattern|--project|--reporter|--environment|--mode|--pool|--coverage\.\w+|--shard|--outputFile.*|--maxWorkers|--minWorkers|--retry|--testTimeout|--exclude)$/;

type Joined = string[] | typeof COMPUTED | undefined;

/** What `vitest run` would collect, by its configuration file read as data. */
export function vitestSelections(context: TestContext): Selection[] {
  const { ts, tree, invocation } = context;
  const { args } = invocation;
  const root = within(invocation.dir, option(args, '-r', '--root') ?? '.');
  const named = option(args, '-c', '--config');
  const config =
    named === undefined
      ? CONFIG_NAMES.map((name) => within(root, name)).find((path) => tree.has(path))
      : within(root, named);
  const value = config === undefined ? {} : configValue(ts, tree, config);
  const workspace = WORKSPACE_NAMES.map((name) => within(root, name)).find((path) => tree.has(path));
  const projects =
    workspace === undefined ? valueAt(value, 'test', 'projects') : configValue(ts, tree, workspace);
  const filters = positionals(args, VITEST_VALUES).filter((word) => !/^(run|watch|dev|related)$/.test(word));
  const only = options(args, '--project');
  const source = config ?? 'the defaults of vitest';
  const one = (test: ConfigValue, base: string, from: string): Selection =>
    vitestSelection(context, test, within(base, text(valueAt(test, 'dir')) ?? '.'), from, filters);
  if (projects === undefined)
    return [one(valueAt(value, 'test'), within(root, option(args, '--dir') ?? '.'), source)];
  if (!Array.isArray(projects))
    return [{ source, unread: `${source} computes its projects`, whyNot: () => 'unknown' }];
  return projects.flatMap((project): Selection[] => {
    if (typeof project === 'string') return globProjects(context, root, project, one);
    if (!isObject(project))
      return [{ source, unread: `${source} computes a project`, whyNot: () => 'unknown' }];
    const test = valueAt(project, 'test');
    const name = text(valueAt(test, 'name'));
    if (only.length > 0 && name !== undefined && !matchesGlobs(name, only)) return [];
    const base = within(root, text(valueAt(project, 'root')) ?? text(valueAt(test, 'root')) ?? '.');
    const inherited = valueAt(project, 'extends') === true ? valueAt(value, 'test') : undefined;
    return [one(isObject(inherited) && isObject(test) ? { ...inherited, ...test } : test, base, source)];
  });
}

function globProjects(
  { ts, tree }: TestContext,
  root: string,
  glob: string,
  one: (test: ConfigValue, base: string, from: string) => Selection,
): Selection[] {
  const clean = within(root, glob);
  const configs = tree.files.filter(
    (path) => runnerGlob(clean).test(path) && /\.([cm]?[jt]s|json)$/.test(path),
  );
  const dirs = new Set(
    tree.files.flatMap((path) => {
      const parts = path.split('/');
      return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
  const places = [...dirs].filter((dir) => runnerGlob(clean).test(dir));
  return [
    ...configs.map((path) => [path, path.slice(0, Math.max(0, path.lastIndexOf('/')))] as const),
    ...places.map(
      (dir) => [CONFIG_NAMES.map((name) => `${dir}/${name}`).find((path) => tree.has(path)), dir] as const,
    ),
  ].map(([path, dir]) => {
    const value = path === undefined ? {} : configValue(ts, tree, path);
    return one(valueAt(value, 'test'), dir, path ?? `the defaults of vitest in ${dir}`);
  });
}

const text = (value: ConfigValue): string | undefined => (typeof value === 'string' ? value : undefined);

function vitestSelection(
  { tree, invocation, packages }: TestContext,
  test: ConfigValue,
  base: string,
  source: string,
  filters: readonly string[],
): Selection {
  const include: Joined = stringsOf(valueAt(test, 'include'));
  const exclude: Joined = stringsOf(valueAt(test, 'exclude'));
  if (include === COMPUTED || exclude === COMPUTED) {
    const what = include === COMPUTED ? 'include' : 'exclude';
    return { source, unread: `${source} computes its ${what}`, whyNot: () => 'unknown' };
  }
  const old = isOldVitest(
    tree.read(within(packages.find(({ dir }) => dir === invocation.dir)?.dir ?? '', 'package.json')) ?? '',
  );
  const excluded = [
    ...(exclude ?? [...VITEST_EXCLUDE, ...(old ? OLD_EXCLUDE : [])]),
    ...options(invocation.args, '--exclude'),
  ];
  const included = (include ?? VITEST_INCLUDE).map((glob) => glob.replace(/^\.\//, ''));
  return {
    source,
    whyNot(path) {
      const relative = below(base, path);
      if (relative === undefined) return `outside ${base}`;
      if (!matchesGlobs(relative, included)) return `matches none of ${included.join(', ')}`;
      const by = excluded.find((glob) => runnerGlob(glob.replace(/^\.\//, '')).test(relative));
      if (by !== undefined) return `excluded by ${by}`;
      if (filters.length > 0 && !filters.some((filter) => path.includes(filter.replace(/^\.\//, '')))) {
        return `the command names ${filters.join(' ')} only`;
      }
      return undefined;
    },
  };
}

function isOldVitest(packageText: string): boolean {
  const range = /"vitest"\s*:\s*"[^"\d]*(\d+)/.exec(packageText)?.[1];
  return range !== undefined && Number(range) < 4;
}

type Place = { dir: ConfigValue; match: ConfigValue; ignore: ConfigValue };

/** What `playwright test` would collect. */
export function playwrightSelection(context: TestContext): Selection {
  const { ts, tree, invocation } = context;
  const { args } = invocation;
  const named = option(args, '-c', '--config');
  const config =
    named === undefined
      ? ['ts', 'mts', 'js', 'mjs', 'cjs']
          .map((each) => within(invocation.dir, `playwright.config.${each}`))
          .find((path) => tree.has(path))
      : within(invocation.dir, named);
  const value: ConfigValue = config === undefined ? {} : configValue(ts, tree, config);
  const source = config ?? 'the defaults of playwright';
  const home = config === undefined ? invocation.dir : config.slice(0, Math.max(0, config.lastIndexOf('/')));
  const projects = valueAt(value, 'projects');
  const all: ConfigValue[] = [value, ...(Array.isArray(projects) ? projects : [])];
  const places: Place[] = all.map((each) => ({
    dir: valueAt(each, 'testDir'),
    match: valueAt(each, 'testMatch'),
    ignore: valueAt(each, 'testIgnore'),
  }));
  if (
    value === COMPUTED ||
    projects === COMPUTED ||
    places.some(({ dir, match, ignore }) => [dir, match, ignore].includes(COMPUTED))
  ) {
    return { source, unread: `${source} computes what it runs`, whyNot: () => 'unknown' };
  }
  const top = places[0];
  return {
    source,
    whyNot(path) {
      const reasons = places.slice(places.length > 1 ? 1 : 0).map(({ dir, match, ignore }) => {
        const base = within(home, text(dir) ?? text(top?.dir) ?? '.');
        const relative = below(base, path);
        if (relative === undefined) return `outside ${base}`;
        if (!matchesPattern(relative, match ?? top?.match ?? ['**/*.@(spec|test).?(c|m)[jt]s?(x)']))
          return 'matches no testMatch';
        return matchesPattern(relative, ignore ?? top?.ignore ?? []) ? 'in testIgnore' : undefined;
      });
      return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
    },
  };
}

/** A glob, a regular expression, or a list of either. */
function matchesPattern(path: string, pattern: ConfigValue): boolean {
  if (Array.isArray(pattern)) return pattern.some((each) => matchesPattern(path, each));
  if (pattern instanceof RegExp) return pattern.test(path);
  return (
    typeof pattern === 'string' && (runnerGlob(pattern).test(path) || runnerGlob(`**/${pattern}`).test(path))
  );
}
