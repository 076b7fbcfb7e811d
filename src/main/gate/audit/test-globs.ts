import { parse as parseYaml } from 'yaml';
import { parsePackage } from '../commands/package-scripts.ts';
import { COMPUTED, type ConfigValue, configValue, isObject, stringsOf, valueAt } from './config-value.ts';
import { runnerGlob } from './runner-globs.ts';
import { below, option, options, positionals, within } from './test-paths.ts';
import type { Selection, TestContext } from './test-selection.ts';

const JEST_MATCH = ['**/__tests__/**/*.?([mc])[jt]s?(x)', '**/?(*.)+(spec|test).?([mc])[jt]s?(x)'];
const JEST_VALUES =
  /^(-c|--config|-t|--testNamePattern|--rootDir|--roots|--maxWorkers|-w|--selectProjects|--reporters|--testTimeout|--shard|--testPathIgnorePatterns|--coverageDirectory|--env)$/;

const packageSection = ({ tree, invocation }: TestContext, name: string): ConfigValue =>
  parsePackage(tree.read(within(invocation.dir, 'package.json')) ?? '')?.whole[name] as ConfigValue;

/** What `jest` would collect, by its configuration read as data; one selection per project. */
export function jestSelections(context: TestContext): Selection[] {
  const { ts, tree, invocation } = context;
  const { args, dir } = invocation;
  const named = option(args, '-c', '--config');
  const config =
    named === undefined
      ? ['js', 'ts', 'mjs', 'cjs', 'json']
          .map((each) => within(dir, `jest.config.${each}`))
          .find((path) => tree.has(path))
      : within(dir, named);
  const section = packageSection(context, 'jest');
  const source = config ?? (section === undefined ? 'the defaults of jest' : within(dir, 'package.json'));
  const value = config === undefined ? (section ?? {}) : configValue(ts, tree, config);
  const projects = valueAt(value, 'projects');
  if (value === COMPUTED || projects === COMPUTED) {
    return [{ source, unread: `${source} computes its configuration`, whyNot: () => 'unknown' }];
  }
  if (!Array.isArray(projects)) return [jestSelection(context, value, dir, source)];
  const [chosen, passed] = [options(args, '--selectProjects'), options(args, '--ignoreProjects')];
  return projects.flatMap((project): Selection[] => {
    const display = valueAt(project, 'displayName');
    const name = isObject(display) ? valueAt(display, 'name') : display;
    if (typeof name === 'string' && ((chosen.length > 0 && !chosen.includes(name)) || passed.includes(name)))
      return [];
    if (isObject(project)) return [jestSelection(context, project, dir, source)];
    if (typeof project !== 'string')
      return [{ source, unread: `${source} computes a project`, whyNot: () => 'unknown' }];
    const glob = within(dir, project);
    const places = new Set(
      tree.files.flatMap((path) => {
        const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
        return runnerGlob(glob).test(path) || runnerGlob(glob).test(folder) || folder === glob
          ? [folder]
          : [];
      }),
    );
    return [...places].map((place) => {
      const file = ['js', 'ts', 'mjs', 'cjs', 'json']
        .map((each) => `${place}/jest.config.${each}`)
        .find((path) => tree.has(path));
      const inner =
        file === undefined
          ? (parsePackage(tree.read(within(place, 'package.json')) ?? '')?.whole.jest as ConfigValue)
          : configValue(ts, tree, file);
      return jestSelection(context, inner ?? {}, place, file ?? source);
    });
  });
}

function expressions(patterns: readonly string[]): RegExp[] {
  return patterns.flatMap((pattern) => {
    try {
      return [new RegExp(pattern.replaceAll('<rootDir>', ''))];
    } catch {
      return [];
    }
  });
}

function jestSelection(context: TestContext, value: ConfigValue, home: string, source: string): Selection {
  const { invocation, slotRoot } = context;
  const rootDir = valueAt(value, 'rootDir');
  const base = within(
    home,
    typeof rootDir === 'string' ? rootDir : (option(invocation.args, '--rootDir') ?? '.'),
  );
  const [match, regex, ignore, modules, roots] = [
    'testMatch',
    'testRegex',
    'testPathIgnorePatterns',
    'modulePathIgnorePatterns',
    'roots',
  ].map((key) => stringsOf(valueAt(value, key)));
  if (
    match === COMPUTED ||
    regex === COMPUTED ||
    ignore === COMPUTED ||
    modules === COMPUTED ||
    roots === COMPUTED
  ) {
    return { source, unread: `${source} computes what it runs`, whyNot: () => 'unknown' };
  }
  const ignored = [...(ignore ?? ['/node_modules/']), ...(modules ?? [])];
  const cliIgnore = option(invocation.args, '--testPathIgnorePatterns');
  if (cliIgnore !== undefined) ignored.push(cliIgnore);
  // Jest holds these against absolute paths: one that matches where slots lie hides every test there.
  const slotPattern = ignored.find(
    (pattern) => !pattern.includes('<rootDir>') && expressions([pattern])[0]?.test(`${slotRoot}/`),
  );
  const pattern = option(invocation.args, '--testPathPattern', '--testPathPatterns');
  const filters = [...positionals(invocation.args, JEST_VALUES), ...(pattern === undefined ? [] : [pattern])];
  const given = options(invocation.args, '--roots');
  const places = (given.length > 0 ? given : (roots ?? ['<rootDir>'])).map((root) => within(base, root));
  return {
    source,
    ...(slotPattern === undefined ? {} : { slotPattern }),
    whyNot(path) {
      const relative = below(base, path);
      if (relative === undefined || !places.some((place) => below(place, path) !== undefined))
        return `outside ${places.join(', ') || 'the top'}`;
      const full = `/${relative}`;
      const isTest = regex
        ? expressions(regex).some((each) => each.test(full))
        : (match ?? JEST_MATCH).some((glob) => runnerGlob(glob.replace('<rootDir>/', '')).test(relative));
      if (!isTest) return `matches none of ${(regex ?? match ?? JEST_MATCH).join(', ')}`;
      const by = ignored.find((each) => expressions([each])[0]?.test(full));
      if (by !== undefined) return `excluded by ${by}`;
      if (
        filters.length > 0 &&
        !expressions(filters).some((each) => each.test(`/${path}`) || each.test(path))
      ) {
        return `the command names ${filters.join(' ')} only`;
      }
      return undefined;
    },
  };
}

const MOCHA_FILES = [
  '.mocharc.js',
  '.mocharc.cjs',
  '.mocharc.yaml',
  '.mocharc.yml',
  '.mocharc.jsonc',
  '.mocharc.json',
];
const MOCHA_VALUES =
  /^(-r|--require|-t|--timeout|-R|--reporter|-u|--ui|-g|--grep|-f|--fgrep|--config|--package|--extension|--ignore|--exclude|--file|--spec|-O|--reporter-option|--retries|-j|--jobs|--import|--loader|-n|--node-option)$/;

/** What `mocha` would collect. */
export function mochaSelection(context: TestContext): Selection {
  const { ts, tree, invocation } = context;
  const { args, dir } = invocation;
  const named = option(args, '--config');
  const file =
    named === undefined
      ? MOCHA_FILES.map((name) => within(dir, name)).find((path) => tree.has(path))
      : within(dir, named);
  const section = packageSection(context, 'mocha');
  const value: ConfigValue =
    file === undefined
      ? (section ?? {})
      : /ya?ml$/.test(file)
        ? yaml(tree.read(file))
        : configValue(ts, tree, file);
  const source = file ?? (section === undefined ? 'the command line' : within(dir, 'package.json'));
  const all = (names: readonly string[], options: readonly string[]): string[] | typeof COMPUTED => {
    const given = args.flatMap((arg, index) => {
      const [name = '', ...rest] = arg.split('=');
      return options.includes(name) ? [rest.length > 0 ? rest.join('=') : (args[index + 1] ?? '')] : [];
    });
    const configured = names.map((name) => stringsOf(valueAt(value, name)));
    return configured.includes(COMPUTED)
      ? COMPUTED
      : [...given, ...configured.flatMap((each) => (Array.isArray(each) ? each : []))];
  };
  if (valueAt(value, 'dry-run') === true || valueAt(value, 'dryRun') === true)
    return { source, whyNot: () => 'dry-run: nothing of it is executed' };
  const spec = all(['spec'], ['--spec']);
  const ignore = all(['ignore', 'exclude'], ['--ignore', '--exclude']);
  const extension = all(['extension'], ['--extension']);
  if (spec === COMPUTED || ignore === COMPUTED || extension === COMPUTED) {
    return { source, unread: `${source} computes what it runs`, whyNot: () => 'unknown' };
  }
  const wanted = [...positionals(args, MOCHA_VALUES), ...spec];
  const recursive = args.includes('--recursive') || valueAt(value, 'recursive') === true;
  const extensions = (
    extension.length > 0 ? extension.flatMap((each) => each.split(',')) : ['js', 'cjs', 'mjs']
  ).map((each) => each.replace(/^\./, ''));
  const specs = wanted.length > 0 ? wanted : ['./test'];
  return {
    source,
    whyNot(path) {
      const relative = below(dir, path);
      if (relative === undefined) return `outside ${dir}`;
      const known = extensions.some((each) => relative.endsWith(`.${each}`));
      const hit = specs.some((each) => {
        const clean = each.replace(/^\.\//, '').replace(/\/$/, '');
        if (runnerGlob(clean).test(relative)) return true;
        return known && runnerGlob(recursive ? `${clean}/**/*` : `${clean}/*`).test(relative);
      });
      if (!hit) return `matches none of ${specs.join(', ')}`;
      const by = ignore.find((each) => runnerGlob(each.replace(/^\.\//, '')).test(relative));
      return by === undefined ? undefined : `excluded by ${by}`;
    },
  };
}

function yaml(text: string | undefined): ConfigValue {
  try {
    return parseYaml(text ?? '') as ConfigValue;
  } catch {
    return COMPUTED;
  }
}

const NODE_GLOBS = [
  '**/*.test.?(c|m)[jt]s',
  '**/*-test.?(c|m)[jt]s',
  '**/*_test.?(c|m)[jt]s',
  '**/test-*.?(c|m)[jt]s',
  '**/test.?(c|m)[jt]s',
  '**/test/**/*.?(c|m)[jt]s',
];
const NODE_VALUES =
  /^(-r|--require|--import|--loader|--experimental-loader|--test-name-pattern|--test-skip-pattern|--test-reporter|--test-reporter-destination|--test-concurrency|--test-timeout|--test-shard|-C|--conditions|--env-file)$/;

/** What `node --test` would collect. */
export function nodeTestSelection({ invocation }: TestContext): Selection {
  const { args, dir } = invocation;
  const wanted = positionals(args, NODE_VALUES);
  const globs =
    wanted.length > 0 ? wanted.map((each) => each.replace(/^\.\//, '').replace(/\/$/, '')) : NODE_GLOBS;
  return {
    source: wanted.length > 0 ? 'the command line' : 'the defaults of node --test',
    whyNot(path) {
      const relative = below(dir, path);
      if (relative === undefined) return `outside ${dir}`;
      if (/(^|\/)node_modules\//.test(relative)) return 'in node_modules';
      return globs.some(
        (glob) => runnerGlob(glob).test(relative) || runnerGlob(`${glob}/**/*`).test(relative),
      )
        ? undefined
        : `matches none of ${globs.join(', ')}`;
    },
  };
}
