/** A commit's files as far as an install can depend on them: ids of all, contents of those that `dependencyInputs` names. */
export type DependencyTree = {
  /** Path → git object id. */
  ids: ReadonlyMap<string, string>;
  /** Path → bytes. */
  contents: ReadonlyMap<string, Uint8Array>;
};

export const LOCKFILES: readonly string[] = [
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
];

/** Files of any directory that steer an install, beside lockfiles and package.json. */
const SETTINGS = new Set([
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.yarnclean',
  'pnpm-workspace.yaml',
  '.pnpmfile.cjs',
  'pnpmfile.cjs',
  '.pnpmfile.mjs',
  'bunfig.toml',
  '.nvmrc',
  '.node-version',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  'lerna.json',
]);

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const vendored = (path: string): boolean => /(^|\/)node_modules\//.test(path);

export const isLockfile = (path: string): boolean => LOCKFILES.includes(baseName(path));
export const isSetting = (path: string): boolean => SETTINGS.has(baseName(path));

/** Patches and the manager's own programs: their ids are enough. */
export const isPatch = (path: string): boolean =>
  /(^|\/)(patches|\.yarn\/(patches|plugins|releases))\//.test(path) || /\.(patch|diff)$/.test(path);

/** The files whose contents the key and the choice of a manager need. */
export function dependencyInputs(paths: Iterable<string>): string[] {
  return [...paths].filter(
    (path) => !vendored(path) && (isLockfile(path) || isSetting(path) || baseName(path) === 'package.json'),
  );
}

export type PackageManifest = Record<string, unknown>;

export function textOf(tree: DependencyTree, path: string): string | undefined {
  const bytes = tree.contents.get(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** A package.json as an object; undefined where it is missing or can't be read as one. */
export function manifestOf(tree: DependencyTree, path: string): PackageManifest | undefined {
  const text = textOf(tree, path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // the manager itself will complain; the key falls back to the bytes
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const DEPENDENCY_FIELDS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

export const namesDependencies = (manifest: PackageManifest): boolean =>
  DEPENDENCY_FIELDS.some((field) => {
    const value = manifest[field];
    return isRecord(value) && Object.keys(value).length > 0;
  });

/** Directories of local packages that a manifest refers to by path. */
function localDependencies(manifest: PackageManifest, from: string): string[] {
  return DEPENDENCY_FIELDS.flatMap((field) => {
    const value = manifest[field];
    if (!isRecord(value)) return [];
    return Object.values(value).flatMap((range) => {
      const match = /^(?:file|link|portal):(.+)$/.exec(String(range));
      const path = match?.[1] === undefined ? undefined : joinPath(from, match[1]);
      return path === undefined ? [] : [path];
    });
  });
}

/** Joins inside the repository; undefined where the path leaves it. */
export function joinPath(from: string, path: string): string | undefined {
  const parts = from === '' ? [] : from.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else parts.push(part);
  }
  return parts.join('/');
}

/** Whether an install in the directory is one of several packages. */
export function hasWorkspaces(tree: DependencyTree, directory: string): boolean {
  const here = (name: string): string => (directory === '' ? name : `${directory}/${name}`);
  const manifest = manifestOf(tree, here('package.json'));
  return (
    (manifest !== undefined && ('workspaces' in manifest || 'bolt' in manifest)) ||
    tree.ids.has(here('pnpm-workspace.yaml')) ||
    tree.ids.has(here('lerna.json'))
  );
}

/**
 * Manifests that decide the install: the root's, those of workspaces (where the repository has any, all are taken: one
 * too many costs an install, one too few a wrong one), those beside a lockfile, and local packages named by path.
 */
export function relevantManifests(tree: DependencyTree): string[] {
  const all = [...tree.contents.keys()].filter((path) => baseName(path) === 'package.json').sort();
  const beside = new Set([...tree.contents.keys()].filter(isLockfile).map(directoryOf));
  beside.add('');
  if ([...beside].some((directory) => hasWorkspaces(tree, directory))) return all;
  const seen = new Set<string>();
  const visit = (directory: string): void => {
    const path = directory === '' ? 'package.json' : `${directory}/package.json`;
    if (seen.has(path) || !tree.contents.has(path)) return;
    seen.add(path);
    for (const next of localDependencies(manifestOf(tree, path) ?? {}, directory)) visit(next);
  };
  for (const directory of beside) visit(directory);
  return [...seen].sort();
}
