import { z } from 'zod';

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type Manager = (typeof MANAGERS)[number];
export const isManager = (program: string): boolean => MANAGERS.some((manager) => manager === program);
export type Scripts = Readonly<Record<string, string>>;

const packageSchema = z.looseObject({
  scripts: z.record(z.string(), z.unknown()).optional().catch(undefined),
  packageManager: z.string().optional().catch(undefined),
});

export type PackageFile = { scripts: Scripts; packageManager?: string; whole: Record<string, unknown> };

/** package.json as far as a gate needs it; undefined where the text is no JSON object. */
export function parsePackage(text: string): PackageFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
  const checked = packageSchema.safeParse(value);
  if (!checked.success) return undefined;
  const scripts = new Map(
    Object.entries(checked.data.scripts ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  return {
    // no prototype: a script may be called "constructor"
    scripts: Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(scripts)),
    packageManager: checked.data.packageManager,
    whole: checked.data,
  };
}

/** The scripts that pnpm runs for a regular expression such as `/^test:/`; none where it is not valid. */
export function scriptsLike(expression: string, scripts: Scripts): string[] {
  try {
    const pattern = new RegExp(expression.replace(/^\/|\/$/g, ''));
    return Object.keys(scripts).filter((name) => pattern.test(name));
  } catch {
    return [];
  }
}

const LOCKFILES: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];
export const LOCKFILE_NAMES: readonly string[] = LOCKFILES.map(([name]) => name);

/** The package manager by `packageManager` of package.json, else by lockfile, else npm; undefined without package.json. */
export function managerOf(
  has: (path: string) => boolean,
  file: PackageFile | undefined,
): { manager?: Manager; lockfile?: string } {
  const present = LOCKFILES.filter(([name]) => has(name));
  if (!file && present.length === 0) return {};
  const named = file?.packageManager?.split('@')[0];
  const said = MANAGERS.find((manager) => manager === named);
  const manager = said ?? present[0]?.[1] ?? 'npm';
  return { manager, lockfile: present.find(([, owner]) => owner === manager)?.[0] };
}

/** What npm init writes: it fails because nobody wrote a test, not because one failed. */
export const isNpmInitTest = (text: string): boolean =>
  /^\s*echo\s+(['"]?)Error: no test specified\1\s*&&\s*exit 1\s*$/.test(text);

/** `npm run lint` in the repository's manager; bun's own `bun test` would bypass the script. */
export const runScript = (manager: Manager, script: string): string =>
  script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;
