import type { ChangedFile } from '../../git/changed-files.ts';
import { matchesAny } from '../../paths/globs.ts';
import { isFixture } from '../audit/invocations.ts';
import { schemaFiles } from '../builtin/front-matter.ts';
import { replacesChecker } from '../commands/checker-packages.ts';
import { parsePackage, type Scripts } from '../commands/package-scripts.ts';
import { calledScripts } from '../commands/script-calls.ts';
import { unwrapped } from '../commands/wrappers.ts';
import { isLockfile } from '../lockfile/lockfile-tampering.ts';
import { POLICY_FILE, type ReadText, type ResolvedPolicy } from '../policy/policy.ts';
import { isCiFile, isGateConfig, isReadByGate, isTestFile } from './gate-files.ts';

/** Sections of package.json that configure a test runner, linter or coverage. */
const SECTIONS = [
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'nyc',
  'c8',
  'playwright',
  'eslintConfig',
  'eslintIgnore',
  'xo',
  'prettier',
  'lint-staged',
  'wireit',
  'nx',
];
/** Scripts that a gate in another directory (a workspace) may call. */
const USUAL = /^(pre|post)?(lint|test|type-?check|check-types|tsc|build|check|verify|ci)(:|$)/;
/** Sections of pyproject.toml, Cargo.toml and setup.cfg that decide what is checked. */
const TOOL_SECTION =
  /^(tool\.(pytest|ruff|mypy|pyright|pylint|coverage|tox|nox|hatch\.envs|poe)|lints|workspace\.lints|profile\.test|tool:pytest|flake8|mypy|coverage|test)\b/;
/** Settings of npm and others that change what a script does. */
const SHELL_SETTING =
  /^\s*(-\s*)?(@[\w-]+:)?(script-shell|if-present|ignore-scripts|node-options|enable-pre-post-scripts|workspaces?|packages|registry|npm-registry-server|npm-scopes|replace-registry-host|strict-ssl|enable-strict-ssl|unsafe-http-whitelist|cafile|ca|(https?-|no-?)?proxy|yarn-path|plugins|(global-|ignore-)?pnpmfile|package-lock|lockfile|checksum-behavior|verify-store-integrity|shell-emulator|use-node-version|overrides|resolutions|patched-dependencies)\b/;

type GatePart = Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts'>;

/**
 * The changed files that define the gate itself, sorted: changing them may be what the ticket asks for, but needs a
 * person. New tests, sources, dependency versions and lockfiles are not among them. `readBase` and `readHead` are asked only for
 * manifests (`needsText`).
 */
export function gateDefiningChanges(
  changed: readonly ChangedFile[],
  readBase: ReadText,
  readHead: ReadText,
  policy: GatePart,
  known: {
    /** What the gate's programs and configuration load; see `gateParts`. */
    modules?: ReadonlySet<string>;
    /** Of these what a configuration names as loaded before tests, wherever it lies. */
    named?: ReadonlySet<string>;
    /** The base had no file in this directory; default: none. */
    isNew?: (dir: string) => boolean;
  } = {},
): string[] {
  const { isNew = () => true } = known;
  const added = new Set(
    changed
      .filter(
        ({ path, change }) => change === 'added' && isNew(path.slice(0, Math.max(0, path.lastIndexOf('/')))),
      )
      .map(({ path }) => path),
  );
  const programs = new Set([...gatePrograms(policy), ...(known.modules ?? [])]);
  const lines = [...policy.gate.map(({ command }) => command), ...Object.values(policy.scripts)];
  const found = changed.filter((file) => {
    const { path, change } = file;
    if (path.toLowerCase() === POLICY_FILE || matchesAny(path, policy.protect)) return true;
    if (isCiFile(path)) return true;
    // Programs and types that a tracked node_modules holds.
    if (/(^|\/)node_modules\//.test(path)) return true;
    // Judged by what is in it: see `tamperedLockfiles`.
    if (isLockfile(path)) return false;
    if (needsText(path)) return manifestChanged(path, readBase(path), readHead(path), policy);
    if (isGateConfig(path)) return !(change === 'added' && inNewPackage(path, added));
    if (isReadByGate(path, lines)) return true;
    if (change === 'deleted' && isTestFile(path))
      return file.movedTo === undefined || !isTestFile(file.movedTo) || isFixture(file.movedTo);
    // A test that turns into a link is another file from then on.
    if (change === 'modified' && file.kind !== 'file' && isTestFile(path)) return true;
    if (change === 'added') return false;
    return known.named?.has(path) === true || (programs.has(path) && !isTestFile(path));
  });
  return found.map(({ path }) => path).sort();
}

/** Manifests: whether they define the gate depends on what changed in them. */
export const needsText = (path: string): boolean =>
  /(^|\/)(package\.json|pyproject\.toml|cargo\.toml|go\.mod|setup\.cfg|\.npmrc|\.yarnrc(\.yml)?|pnpm-workspace\.yaml)$/i.test(
    path,
  );

/** A package that is new as a whole brings its own configuration. */
function inNewPackage(path: string, added: ReadonlySet<string>): boolean {
  const parts = path.split('/').slice(0, -1);
  for (; parts.length > 0; parts.pop()) if (added.has(`${parts.join('/')}/package.json`)) return true;
  return false;
}

/** Script files that the gate's command lines start: `sh check.sh`, `node scripts/verify.mjs`, `./ci.sh`; and schemas that its steps hold files against. */
export function gatePrograms(policy: GatePart): ReadonlySet<string> {
  const commands = policy.gate.map(({ command }) => command);
  const lines = [...commands, ...calledScripts(commands, policy.scripts).map(([, text]) => text)];
  const programs = new Set(policy.gate.flatMap(schemaFiles));
  for (const line of lines) {
    for (const part of line.split(/&&|\|\||[;|&\n()]/)) {
      const words = part
        .trim()
        .split(/\s+/)
        .map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
      const [program = '', ...options] = unwrapped(words);
      const interpreted =
        /^(ba|da|z|k)?sh$|^(node|bun|deno|tsx|ts-node|python3?(\.\d+)?|ruby|perl|pwsh)$/.test(program);
      for (const file of interpreted ? scriptsOf(options) : [program])
        if (file.includes('.')) programs.add(file.replace(/^\.\//, ''));
    }
  }
  return programs;
}

/** The script that an interpreter starts, with those that its options load before; of its own tests and of code only the latter. */
function scriptsOf(words: readonly string[]): string[] {
  const found: string[] = [];
  const noScript = words.some((word) => /^(-c|-e|-p|--eval|--test|-m)$/.test(word));
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [option = '', value] = word.split('=', 2);
    if (/^(-r|--require|--import|--(experimental-)?loader|--preload|--env-file(-if-exists)?)$/.test(option))
      found.push(value ?? words[++at] ?? '');
    else if (!word.startsWith('-') && word !== 'run') return noScript ? found : [...found, word];
  }
  return found;
}

function manifestChanged(
  path: string,
  base: string | undefined,
  head: string | undefined,
  policy: GatePart,
): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'package.json') return packageChanged(path, base, head, policy);
  if (name === 'pnpm-workspace.yaml' && narrowed(listed(base), listed(head))) return true;
  if (name === 'go.mod') return replacements(base) !== replacements(head);
  if (SETTINGS_FILE.test(name)) return shellSettings(base) !== shellSettings(head);
  return base !== undefined && toolSections(base) !== toolSections(head ?? '');
}

/** What package.json says to test runners, linters and others, by their names. */
export function toolSettings(content: string): Record<string, unknown> {
  const whole = parsePackage(content)?.whole ?? {};
  return Object.fromEntries(SECTIONS.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])));
}

/** What of a manifest (see `needsText`) defines the gate, beside the scripts that its commands call; the same text for the same definition. */
export function manifestDefinition(path: string, content: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'package.json') {
    const parsed = parsePackage(content);
    if (!parsed) return content;
    const scripts = Object.entries(parsed.scripts).filter(([script]) => USUAL.test(script));
    return stable([toolSettings(content), Object.fromEntries(scripts)]);
  }
  if (name === 'go.mod') return replacements(content);
  return SETTINGS_FILE.test(name) ? shellSettings(content) : toolSections(content);
}

const SETTINGS_FILE = /^(\.npmrc|\.yarnrc(\.yml)?|pnpm-workspace\.yaml)$/;

/** The lines that set one of these, with what stands deeper below them. */
function shellSettings(text = ''): string {
  let inside = false;
  return text
    .split('\n')
    .filter((line) => {
      if (line.trim() === '') return false;
      const set = SHELL_SETTING.test(line.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase());
      // More packages than before are no less.
      inside = set ? !/^\s*packages\b/.test(line) : inside && /^(\s|-)/.test(line);
      return inside;
    })
    .join('\n');
}

/** What Cargo builds and runs as tests, in any section. */
const CARGO_TARGET = /^\s*(autotests|test|doctest|harness|default-members|exclude)\s*=/;

/** The modules that go.mod takes from elsewhere. */
const replacements = (text = ''): string =>
  text
    .split('\n')
    .filter((line) => line.includes('=>'))
    .map((line) => line.trim())
    .join('\n');

/** The entries of a list in YAML, as far as they stand on lines of their own. */
const listed = (text = ''): string[] =>
  text.split('\n').flatMap((line) => /^\s*-\s*['"]?([^'"#]+?)['"]?\s*(#.*)?$/.exec(line)?.[1] ?? []);

/** Some of what was there is left out now. */
const narrowed = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((each) => !after.includes(each)) ||
  after.some((each) => each.startsWith('!') && !before.includes(each));

function workspacesOf(whole: Record<string, unknown>): string[] {
  const { workspaces } = whole;
  const list =
    workspaces && typeof workspaces === 'object' && 'packages' in workspaces
      ? workspaces.packages
      : workspaces;
  return Array.isArray(list) ? list.map(String) : [];
}

/** The sections of a TOML or INI text that configure checks, as text. */
function toolSections(text: string): string {
  let keep = false;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1];
    if (header !== undefined) keep = TOOL_SECTION.test(header.replaceAll('"', ''));
    if ((keep || CARGO_TARGET.test(line)) && line.trim() !== '' && !line.trim().startsWith('#'))
      kept.push(line.trim());
  }
  return kept.join('\n');
}

function packageChanged(
  path: string,
  base: string | undefined,
  head: string | undefined,
  policy: GatePart,
): boolean {
  if (head !== undefined && replacesChecker(base && parsePackage(base)?.whole, parsePackage(head)?.whole))
    return true;
  if (base === undefined)
    return path === 'package.json' && policy.gate.length > 0 && !policy.gate.every(isPlain);
  const before = parsePackage(base);
  const after = head === undefined ? undefined : parsePackage(head);
  if (!before) return false; // it defined nothing that could be read
  if (!after) return true;
  if (SECTIONS.some((section) => stable(before.whole[section]) !== stable(after.whole[section]))) return true;
  if (narrowed(workspacesOf(before.whole), workspacesOf(after.whole))) return true;
  const names =
    path === 'package.json'
      ? rootScripts(before.scripts, after.scripts, policy)
      : Object.keys(before.scripts).filter((name) => USUAL.test(name));
  return names.some((name) => text(before.scripts, name) !== text(after.scripts, name));
}

/** A gate that calls no script can't be changed by a new package.json. */
const isPlain = ({ command }: { command: string }): boolean => !/\b(npm|pnpm|yarn|bun)\b/.test(command);

/** What the gate's commands reach at either side, so that a new `pretest` counts as well as a changed `test`. */
function rootScripts(before: Scripts, after: Scripts, policy: GatePart): string[] {
  // The install of a slot runs some of them as well, of the tree that is judged.
  const commands = [policy.setup ?? 'npm install', ...policy.gate.map(({ command }) => command)];
  return [...calledScripts(commands, before), ...calledScripts(commands, after)].map(([name]) => name);
}

const text = (scripts: Scripts, name: string): string | undefined =>
  Object.hasOwn(scripts, name) ? scripts[name] : undefined;

/** The same for equal values, whatever the order of keys. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      part && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  );
}
