import { parsePackage } from '../commands/package-scripts.ts';
import type { Tree } from './commit-tree.ts';
import { COMPUTED, type ConfigValue, configValue, isObject, stringsOf, valueAt } from './config-value.ts';
import { type Invocation, openWords } from './invocations.ts';
import { matchesGlobs, matchesIgnore } from './runner-globs.ts';
import { below, option, options, positionals, within } from './test-paths.ts';
import type { TypescriptApi } from './typescript.ts';

/** Which files one run of a linter reads. */
export type LintFact = {
  step: string;
  label: string;
  dir: string;
  /** The configuration computes what decides; nothing is concluded. */
  unread?: string;
  problem?: string;
  /** Each file is judged by itself, as far as the configuration shows: what was thought of one stays true. */
  perFile?: boolean;
  /** Undefined: linted; else why not. */
  whyNot(path: string): string | undefined;
};

const ESLINT_VALUES =
  /^(-c|--config|--ext|--ignore-path|--ignore-pattern|--rule|--plugin|--parser|--parser-options|-f|--format|-o|--output-file|--max-warnings|--cache-location|--cache-file|--cache-strategy|--resolve-plugins-relative-to|--env|--global|--flag|--concurrency)$/;
const BIOME_VALUES =
  /^(--config-path|--reporter|--max-diagnostics|--diagnostic-level|--colors|--log-level|--only|--skip|--since|--files-max-size)$/;

export function isLint({ program, args }: Pick<Invocation, 'program' | 'args'>): boolean {
  if (program === 'biome') return /^(check|lint|ci)$/.test(args[0] ?? '');
  return /^(eslint|oxlint|xo|standard|tslint)$/.test(program) || (program === 'next' && args[0] === 'lint');
}

export function lintFact(ts: TypescriptApi, tree: Tree, invocation: Invocation): LintFact {
  const { program, args, dir } = invocation;
  const base = { step: invocation.step, label: [program, ...args].join(' '), dir };
  const open = openWords(invocation);
  if (open !== undefined)
    return { ...base, unread: `the command names files by ${open}`, whyNot: () => 'unknown' };
  if (program === 'eslint') return { ...base, ...eslint(ts, tree, invocation) };
  if (program === 'biome') return { ...base, ...biome(ts, tree, invocation) };
  if (program === 'oxlint') {
    const config = configValue(ts, tree, within(dir, '.oxlintrc.json'));
    const ignore = stringsOf(valueAt(config === COMPUTED ? {} : config, 'ignorePatterns'));
    return {
      ...base,
      whyNot: targets(dir, positionals(args, ESLINT_VALUES), [
        ...(Array.isArray(ignore) ? ignore : []),
        ...lines(tree, within(dir, '.eslintignore')),
      ]),
    };
  }
  return { ...base, unread: `what ${program} reads is not known here`, whyNot: () => 'unknown' };
}

/** Files at or below the paths that the command names, less what is ignored. */
function targets(
  dir: string,
  named: readonly string[],
  ignored: readonly string[],
): (path: string) => string | undefined {
  const places = named.length === 0 ? ['.'] : named;
  return (path) => {
    const relative = below(dir, path);
    if (relative === undefined) return `outside ${dir}`;
    const hit = places.some((place) => {
      const clean = within('', place);
      return (
        clean === '' ||
        relative === clean ||
        relative.startsWith(`${clean}/`) ||
        matchesGlobs(relative, [clean])
      );
    });
    if (!hit) return `the command names ${places.join(' ')} only`;
    const by = matchesIgnore(relative, ignored);
    return by === undefined ? undefined : `ignored by ${by}`;
  };
}

const lines = (tree: Tree, path: string): string[] =>
  (tree.read(path) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

type Part = Pick<LintFact, 'unread' | 'problem' | 'perFile' | 'whyNot'>;

/** Rules that look at other files, or at types. */
const OTHER_FILES =
  /projectService|\bproject\s*:|type-?checked|\bimport(-x)?\/|boundaries|no-(missing|unpublished|extraneous|unresolved|cycle|restricted-paths)/i;
/** Packages and presets of which it is known that their rules look at one file at a time. */
const ONE_FILE =
  /^(eslint(\/config)?|@eslint\/[\w-]+|globals|typescript-eslint|@typescript-eslint\/(parser|eslint-plugin)|eslint-config-prettier(\/.*)?|eslint-plugin-(react|react-hooks|react-refresh|jsx-a11y|prettier(\/.*)?|simple-import-sort|vue|svelte)|eslint:(recommended|all)|plugin:(@typescript-eslint|react|react-hooks|jsx-a11y|prettier|vue)\/[\w/-]+|prettier|node:.*)$/;

/** Pure: whether the text of a configuration shows that no rule looks beyond the file at hand. */
function judgesFileByFile(text: string, presets: readonly string[]): boolean {
  if (text === '' || OTHER_FILES.test(text)) return false;
  const named = [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].map(
    ([, name = '']) => name,
  );
  return [...named, ...presets].every((name) => ONE_FILE.test(name));
}

function eslint(ts: TypescriptApi, tree: Tree, { args, dir }: Invocation): Part {
  const given = option(args, '-c', '--config');
  const flat =
    given === undefined
      ? ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].flatMap((each) => {
          const own = within(dir, `eslint.config.${each}`);
          const top = `eslint.config.${each}`;
          return tree.has(own) ? [own] : tree.has(top) ? [top] : [];
        })[0]
      : within(dir, given);
  const ignored = options(args, '--ignore-pattern');
  const named = positionals(args, ESLINT_VALUES);
  if (flat !== undefined && tree.has(flat) && /eslint\.config\./.test(flat)) {
    const value = configValue(ts, tree, flat);
    const entries: ConfigValue[] = Array.isArray(value) ? (value.flat(5) as ConfigValue[]) : [value];
    for (const entry of entries) {
      if (!isObject(entry) || Object.keys(entry).some((key) => key !== 'ignores' && key !== 'name')) continue;
      const patterns = stringsOf(valueAt(entry, 'ignores'));
      if (patterns === COMPUTED) return { unread: `${flat} computes its ignores`, whyNot: () => 'unknown' };
      ignored.push(...(patterns ?? []));
    }
    const text = tree.read(flat) ?? '';
    // A configuration that is made elsewhere may name any kind of file.
    const made = entries.includes(COMPUTED);
    return {
      perFile: judgesFileByFile(text, []),
      whyNot: withExtension(
        targets(dir, named, ignored),
        made || /typescript|\.\w*ts|tsx/.test(text) ? /./ : /\.[cm]?jsx?$/,
      ),
    };
  }
  const legacy = [
    '.eslintrc.json',
    '.eslintrc',
    '.eslintrc.js',
    '.eslintrc.cjs',
    '.eslintrc.yml',
    '.eslintrc.yaml',
  ]
    .map((name) => within(dir, name))
    .find((path) => tree.has(path));
  const whole = parsePackage(tree.read(within(dir, 'package.json')) ?? '')?.whole;
  const config =
    legacy === undefined
      ? (whole?.eslintConfig as ConfigValue)
      : /ya?ml$/.test(legacy)
        ? COMPUTED
        : configValue(ts, tree, legacy);
  const patterns = stringsOf(valueAt(config, 'ignorePatterns'));
  if (Array.isArray(patterns)) ignored.push(...patterns);
  const own = stringsOf((whole?.eslintIgnore ?? undefined) as ConfigValue);
  if (Array.isArray(own)) ignored.push(...own);
  ignored.push(...lines(tree, within(dir, option(args, '--ignore-path') ?? '.eslintignore')));
  const extensions = option(args, '--ext');
  const typescript =
    extensions === undefined
      ? /overrides|typescript/.test(legacy === undefined ? '' : (tree.read(legacy) ?? ''))
      : true;
  const known =
    extensions === undefined
      ? typescript
        ? /./
        : /\.[cm]?js$/
      : new RegExp(
          `(${extensions
            .split(',')
            .map((each) => `\\.${each.replace(/^\./, '')}`)
            .join('|')})$`,
        );
  const presets = stringsOf(valueAt(config, 'extends'));
  const text = legacy === undefined ? JSON.stringify(whole?.eslintConfig ?? '') : (tree.read(legacy) ?? '');
  return {
    perFile: presets !== COMPUTED && judgesFileByFile(text, presets ?? []),
    whyNot: withExtension(targets(dir, named, ignored), known),
  };
}

const withExtension =
  (inner: (path: string) => string | undefined, known: RegExp) =>
  (path: string): string | undefined =>
    inner(path) ?? (known.test(path) ? undefined : 'its kind of file is not linted');

function biome(ts: TypescriptApi, tree: Tree, { args, dir }: Invocation): Part {
  const file = [within(dir, 'biome.json'), within(dir, 'biome.jsonc'), 'biome.json', 'biome.jsonc'].find(
    (path) => tree.has(path),
  );
  const value: ConfigValue = file === undefined ? {} : configValue(ts, tree, file);
  if (value === COMPUTED) return { unread: `${file} can't be read`, whyNot: () => 'unknown' };
  if (valueAt(value, 'linter', 'enabled') === false && args[0] === 'lint') {
    return { problem: `${file} turns the linter off`, whyNot: () => 'the linter is off' };
  }
  const list = (...keys: string[]): string[] => {
    const found = stringsOf(valueAt(value, ...keys));
    return Array.isArray(found) ? found : [];
  };
  const includes = [list('files', 'includes'), list('linter', 'includes')].filter((each) => each.length > 0);
  const ignored = [...list('files', 'ignore'), ...list('linter', 'ignore')];
  const plain = targets(dir, positionals(args.slice(1), BIOME_VALUES), ignored);
  return {
    whyNot(path) {
      for (const globs of includes) {
        const relative = below(dir, path) ?? path;
        const negated = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.replace(/^!+/, ''));
        const by = matchesIgnore(relative, negated);
        if (by !== undefined) return `ignored by !${by}`;
        const wanted = globs.filter((glob) => !glob.startsWith('!'));
        if (wanted.length > 0 && !matchesGlobs(relative, wanted))
          return `matches none of ${wanted.join(', ')}`;
      }
      return plain(path);
    },
  };
}
