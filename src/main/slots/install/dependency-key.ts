import { createHash } from 'node:crypto';
import {
  type DependencyTree,
  directoryOf,
  isLockfile,
  isPatch,
  isRecord,
  isSetting,
  manifestOf,
  type PackageManifest,
  relevantManifests,
} from './dependency-tree.ts';
import { filesOfScripts, installScripts } from './install-scripts.ts';
import type { Install } from './managers.ts';

/** What installs: the programs as they are, not as the repository wishes them. */
export type Toolchain = {
  node: string;
  /** Node's module ABI: native modules are built for one. */
  abi: string;
  platform: string;
  arch: string;
  libc: string;
  /** Version of the package manager, or of each; empty where a setup command replaces it. */
  manager: string;
};

/** Fields of package.json that change what is installed. Not among them: version, description, other scripts. */
const FIELDS = [
  'name',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'dependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'overrides',
  'resolutions',
  'workspaces',
  'catalog',
  'catalogs',
  'packageManager',
  'engines',
  'devEngines',
  'volta',
  'os',
  'cpu',
  'libc',
  'bin',
  'pnpm',
  'installConfig',
  'trustedDependencies',
  'patchedDependencies',
  'allowScripts',
  'config',
] as const;

/** Lockfiles and manifests of other ecosystems, which a setup command may read. */
const FOREIGN =
  /(^|\/)(requirements[^/]*\.txt|constraints[^/]*\.txt|pyproject\.toml|setup\.(py|cfg)|Pipfile(\.lock)?|poetry\.lock|uv\.lock|\.python-version|Cargo\.(toml|lock)|rust-toolchain(\.toml)?|go\.(mod|sum)|Gemfile(\.lock)?|composer\.(json|lock)|mix\.(exs|lock)|deno\.(jsonc?|lock)|flake\.(nix|lock)|Makefile|justfile)$/;

/** JSON with sorted keys: the order of dependencies means nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isRecord(value)) {
    const entries = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${entries.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function manifestPart(manifest: PackageManifest): string {
  const picked: Record<string, unknown> = {};
  for (const field of FIELDS) if (Object.hasOwn(manifest, field)) picked[field] = manifest[field];
  picked.scripts = installScripts(isRecord(manifest.scripts) ? manifest.scripts : {});
  return canonical(picked);
}

/** Text without the difference between line ends; binary as it is. */
function normalised(path: string, bytes: Uint8Array): Uint8Array {
  if (path.endsWith('.lockb')) return bytes;
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

function setupFiles(tree: DependencyTree, setup: string): string[] {
  const named = filesOfScripts(tree, { scripts: { install: setup } }, '');
  return [...tree.ids.keys()].filter((path) => FOREIGN.test(path)).concat(named);
}

/**
 * Hash of everything that decides an install. Equal keys: what is installed for one tree serves the other. `setup`: the
 * command that replaces the manager; where nothing tells what it reads, the whole tree decides.
 */
export function dependencyKey(
  tree: DependencyTree,
  installs: readonly Install[],
  toolchain: Toolchain,
  setup?: string,
): string {
  const hash = createHash('sha256');
  const add = (kind: string, name: string, value: string | Uint8Array): void => {
    // Lengths keep neighbours apart, whatever they hold.
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    hash.update(`${kind}\0${name}\0${size}\0`).update(value);
  };
  add('format', '', '2');
  add('toolchain', '', canonical(toolchain));
  if (setup !== undefined) add('setup', '', setup);
  for (const { manager, directory, lockfile, args } of installs) {
    add('manager', manager, `${directory} ${lockfile ?? ''} ${args.join(' ')}`);
  }
  const byId = new Set<string>();
  for (const path of [...tree.contents.keys()].sort()) {
    const bytes = tree.contents.get(path);
    if (bytes && (isLockfile(path) || isSetting(path))) add('file', path, normalised(path, bytes));
  }
  for (const path of relevantManifests(tree)) {
    const manifest = manifestOf(tree, path);
    if (!manifest) {
      byId.add(path);
      continue;
    }
    add('manifest', path, manifestPart(manifest));
    for (const file of filesOfScripts(tree, manifest, directoryOf(path))) byId.add(file);
  }
  for (const path of tree.ids.keys()) if (isPatch(path)) byId.add(path);
  for (const path of localPackageFiles(tree)) byId.add(path);
  if (setup !== undefined) {
    const files = setupFiles(tree, setup);
    for (const path of files.length + tree.contents.size > 0 ? files : tree.ids.keys()) byId.add(path);
  }
  for (const path of [...byId].sort()) add('id', path, tree.ids.get(path) ?? '');
  return hash.digest('hex').slice(0, 32);
}

/** Files of packages that are named by path: some managers copy them, so each file counts. */
function localPackageFiles(tree: DependencyTree): string[] {
  const manifests = relevantManifests(tree).map((path) => manifestOf(tree, path));
  const named = manifests.some((manifest) => manifest && /"(file|portal):/.test(JSON.stringify(manifest)));
  if (!named) return [];
  const directories = relevantManifests(tree)
    .map(directoryOf)
    .filter((directory) => directory !== '');
  const archives = [...tree.ids.keys()].filter((path) => /\.(tgz|tar\.gz|tar)$/.test(path));
  const inside = [...tree.ids.keys()].filter((path) =>
    directories.some((directory) => path.startsWith(`${directory}/`)),
  );
  return [...archives, ...inside];
}
