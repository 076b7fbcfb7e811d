/** Which files define a gate by their name alone. Names are compared without case. */

const CONFIGS: readonly RegExp[] = [
  /^[tj]sconfig(\.[\w.-]+)?\.json$/,
  /^(vitest|vite|jest|playwright|cypress|karma|ava|tap|babel|webdriver|wdio)(\.[\w-]+)*\.(config|conf|workspace)(\.[\w-]+)*\.[cm]?[jt]s(on)?$/,
  /^vitest\.(workspace|projects)\.([cm]?[jt]s|json)$/,
  /^jest\.preset\.[cm]?[jt]s$/,
  /^(vitest|jest|mocha|tests?)[.-]?(global-?)?setup([.-]?(files?|after-?env))?\.[cm]?[jt]sx?$/,
  /^setup-?tests?\.[cm]?[jt]sx?$/,
  /^mocha\.opts$/,
  /^\.mocharc(\.[cm]?js|\.jsonc?|\.ya?ml)?$/,
  /^\.(nyc|c8)rc(\.json|\.ya?ml)?$/,
  /^\.taprc$/,
  /^eslint\.config\.[cm]?[jt]s$/,
  /^\.eslintrc(\.[cm]?js|\.json|\.ya?ml)?$/,
  /^\.(eslintignore|prettierignore|stylelintignore|oxlintrc\.json|jshintrc)$/,
  /^\.prettierrc(\.[cm]?js|\.json5?|\.ya?ml|\.toml)?$/,
  /^prettier\.config\.[cm]?[jt]s$/,
  /^biome\.jsonc?$/,
  /^(\.dependency-cruiser\.[cm]?js|knip\.(jsonc?|[jt]s))$/,
  /^(turbo|nx|lerna)\.json$/,
  /^bunfig\.toml$/,
  /^(pytest\.ini|tox\.ini|\.?pylintrc|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.coveragerc|noxfile\.py)$/,
  /^\.golangci\.(ya?ml|toml|json)$/,
  /^\.?(clippy|rustfmt|nextest)\.toml$/,
  // Faults that a checker is told to leave be.
  /^(eslint-suppressions|phpstan-baseline|detekt-baseline|psalm-baseline|mypy-baseline|\.rubocop_todo|\.secrets)(\.baseline)?(\.(json|neon|xml|txt|ya?ml))?$/,
  /^\.(babelrc|swcrc|c8rc|lintstagedrc|stylelintrc|markdownlint|remarkrc|jestrc)(\.[\w.-]+)?$/,
  /^(stylelint|ava|tap|uvu|commitlint|lint-staged|wdio)\.config\.[cm]?[jt]s$/,
  /^(pyrightconfig\.json|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.bandit|phpunit\.xml(\.dist)?|phpstan\.neon(\.dist)?)$/,
  /^(\.rspec|\.rubocop\.ya?ml|detekt\.ya?ml|\.swiftlint\.ya?ml|analysis_options\.yaml|\.credo\.exs)$/,
  // Loaded by an install, or by every program of a language.
  /^\.?pnpmfile\.[cm]?js$/,
  /^(site|user)customize\.py$/,
  /^go\.work$/,
];

const CI: readonly RegExp[] = [
  /^\.github\/(workflows|actions)\//,
  /^\.(circleci|buildkite|woodpecker|gitlab\/ci)\//,
  /^(\.gitlab-ci|\.travis|\.woodpecker|azure-pipelines|bitbucket-pipelines|\.drone|appveyor)\.ya?ml$/,
  /^jenkinsfile$/,
];

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

/** By their place: programs of a package manager, and modules that a runner would take for itself. */
const PLACES: readonly RegExp[] = [
  /(^|\/)\.yarn\/(plugins|releases)\//,
  /(^|\/)\.cargo\/config(\.toml)?$/,
  /(^|\/)patches\/[^/]+\.patch$/,
  /^(pytest|unittest|mypy|ruff|pylint|flake8|tox|nox|coverage)(\.py|\/__(init|main)__\.py)$/,
];

/** Configuration of a type checker, test runner, linter, task runner or package manager. */
export const isGateConfig = (path: string): boolean =>
  CONFIGS.some((pattern) => pattern.test(baseName(path))) ||
  PLACES.some((pattern) => pattern.test(path.toLowerCase()));

/** Files that decide only where the gate's lines call the program that reads them. */
const READ_BY: readonly (readonly [RegExp, RegExp])[] = [
  [/^(gnu)?makefile$|\.mk$/, /\bg?make\b/],
  [/^\.?justfile$|\.just$/, /\bjust\b/],
  [/^taskfile(\.dist)?\.ya?ml$/, /\btask\b/],
  [/^rakefile(\.rb)?$|\.rake$/, /\brake\b/],
  [/^deno\.jsonc?$/, /\bdeno\b/],
  [/^next\.config\.[cm]?[jt]s$/, /\bnext\b/],
  [/^(rollup|rolldown)(\.[\w-]+)?\.config(\.[\w-]+)?\.[cm]?[jt]s$/, /\b(rollup|rolldown)\b/],
  [/^webpack\.config(\.[\w-]+)?\.[cm]?[jt]s$/, /\bwebpack\b/],
  [/^(tsup|tsdown)\.config\.([cm]?[jt]s|json)$/, /\b(tsup|tsdown)\b/],
  [/^(nuxt|astro|svelte)\.config\.[cm]?[jt]s$/, /\b(nuxi?|astro|svelte-\w+)\b/],
  [/^angular\.json$/, /\bng\b/],
  [/^(\.?mise(\.[\w-]+)?\.toml|\.tool-versions)$/, /\b(mise|asdf|rtx)\b/],
  [/^\.env(\.[\w.-]+)?$/, /\b(dotenvx?|env-cmd|bun|direnv|mise)\b|--env-file/],
];

/** Does a program that one of these lines calls take its orders from the file? */
export const isReadByGate = (path: string, lines: readonly string[]): boolean =>
  READ_BY.some(([file, program]) => file.test(baseName(path)) && lines.some((line) => program.test(line)));

export const isCiFile = (path: string): boolean => CI.some((pattern) => pattern.test(path.toLowerCase()));

/** A file that holds tests, by the conventions of the common runners. */
export function isTestFile(path: string): boolean {
  const low = path.toLowerCase();
  const name = baseName(low);
  if (/[._-](test|spec|e2e|cy)\.[cm]?[jt]sx?$/.test(name) || /^(test|spec)s?\.[cm]?[jt]sx?$/.test(name))
    return true;
  if (/^(test_.*|.*_test)\.(py|go|rb|ex|exs|dart)$/.test(name) || /_spec\.rb$/.test(name)) return true;
  if (/(Test|Tests|Spec|IT)\.(java|kt|cs|scala|swift)$/.test(path)) return true;
  return (
    /(^|\/)(__tests__|tests?|specs?|e2e)\//.test(low) && /\.([cm]?[jt]sx?|py|rs|rb|php|sh|bats)$/.test(name)
  );
}
