import {
  type DependencyTree,
  directoryOf,
  hasWorkspaces,
  isLockfile,
  isRecord,
  LOCKFILES,
  manifestOf,
  namesDependencies,
  relevantManifests,
  textOf,
} from './dependency-tree.ts';
import { installScripts } from './install-scripts.ts';

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'yarn-berry', 'bun'] as const;
export type ManagerId = (typeof MANAGERS)[number];

/** One call of a package manager. */
export type Install = {
  manager: ManagerId;
  /** Where it runs, relative to the repository; empty at its top. */
  directory: string;
  /** The lockfile there that decides; undefined: there is none. */
  lockfile?: string;
  program: string;
  args: readonly string[];
  /** As `packageManager` in package.json pins it. */
  pinned?: { name: string; version: string };
};

const BY_LOCKFILE: Record<string, ManagerId> = {
  'npm-shrinkwrap.json': 'npm',
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

/** Where several lockfiles stand side by side: bun prints a yarn.lock beside its own, npm's is the usual stale one. */
const ORDER: readonly string[] = [
  'bun.lock',
  'bun.lockb',
  'pnpm-lock.yaml',
  'yarn.lock',
  'npm-shrinkwrap.json',
  'package-lock.json',
];

const NPM_QUIET = ['--no-audit', '--no-fund'];
/*
 * By default these two link packages from their store: one file for all slots and for the user's own projects, so that an
 * edit in one is an edit in all. npm and yarn unpack or copy.
 */
const PNPM_COPIES = '--package-import-method=copy';
const BUN_COPIES = '--backend=copyfile';

type Pin = { name: string; version: string } | undefined;

const at = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

function pinnedManager(tree: DependencyTree, directory: string): Pin {
  const value = manifestOf(tree, at(directory, 'package.json'))?.packageManager;
  const match = typeof value === 'string' ? /^([a-z]+)@(\d[^+]*)/.exec(value) : undefined;
  return match?.[1] && match[2] ? { name: match[1], version: match[2] } : undefined;
}

function yarnKind(tree: DependencyTree, directory: string, pinned: Pin): ManagerId {
  const lock = textOf(tree, at(directory, 'yarn.lock')) ?? '';
  if (/^__metadata:/m.test(lock)) return 'yarn-berry';
  if (/^# yarn lockfile v1/m.test(lock)) return 'yarn';
  if (pinned?.name === 'yarn') return Number.parseInt(pinned.version, 10) >= 2 ? 'yarn-berry' : 'yarn';
  return tree.ids.has(at(directory, '.yarnrc.yml')) ? 'yarn-berry' : 'yarn';
}

function choose(
  tree: DependencyTree,
  directory: string,
  pinned: Pin,
): { manager: ManagerId; lockfile?: string } | undefined {
  const managerOf = (lockfile: string): ManagerId =>
    BY_LOCKFILE[lockfile] ?? yarnKind(tree, directory, pinned);
  const present = ORDER.filter((name) => LOCKFILES.includes(name) && tree.ids.has(at(directory, name)));
  const own = present.find((name) => managerOf(name).split('-')[0] === pinned?.name);
  const lockfile = own ?? present[0];
  if (lockfile !== undefined) return { manager: managerOf(lockfile), lockfile };
  if (directory !== '' || !needsInstall(tree)) return undefined;
  if (pinned?.name === 'yarn') return { manager: yarnKind(tree, directory, pinned) };
  if (pinned?.name === 'pnpm' || pinned?.name === 'bun') return { manager: pinned.name };
  return { manager: 'npm' };
}

/** Without a lockfile at the top: something to install there, or a script that an install would run. */
function needsInstall(tree: DependencyTree): boolean {
  const manifests = hasWorkspaces(tree, '') ? relevantManifests(tree) : ['package.json'];
  return manifests.some((path) => {
    const manifest = manifestOf(tree, path);
    return (
      manifest !== undefined &&
      (namesDependencies(manifest) ||
        Object.keys(installScripts(isRecord(manifest.scripts) ? manifest.scripts : {})).length > 0)
    );
  });
}

function commandOf(manager: ManagerId, locked: boolean): { program: string; args: string[] } {
  switch (manager) {
    case 'npm':
      return locked
        ? { program: 'npm', args: ['ci', '--prefer-offline', ...NPM_QUIET] }
        : { program: 'npm', args: ['install', '--no-package-lock', ...NPM_QUIET] };
    case 'pnpm':
      return {
        program: 'pnpm',
        args: [
          'install',
          ...(locked ? ['--frozen-lockfile', '--prefer-offline'] : ['--no-lockfile']),
          PNPM_COPIES,
        ],
      };
    case 'yarn':
      return {
        program: 'yarn',
        args: ['install', '--non-interactive', locked ? '--frozen-lockfile' : '--no-lockfile'],
      };
    case 'yarn-berry':
      // Without a lockfile berry can't leave it out; what it writes is restored afterwards.
      return { program: 'yarn', args: ['install', locked ? '--immutable' : '--no-immutable'] };
    case 'bun':
      return { program: 'bun', args: ['install', locked ? '--frozen-lockfile' : '--no-save', BUN_COPIES] };
  }
}

function installIn(tree: DependencyTree, directory: string): Install | undefined {
  if (!tree.ids.has(at(directory, 'package.json'))) return undefined;
  const pinned = pinnedManager(tree, directory);
  const chosen = choose(tree, directory, pinned);
  if (!chosen) return undefined;
  return {
    directory,
    ...chosen,
    ...commandOf(chosen.manager, chosen.lockfile !== undefined),
    ...(pinned ? { pinned } : {}),
  };
}

/** Packages in there are examples or what tests work on, not parts of the repository. */
export const NOT_PARTS =
  /(^|\/)(__fixtures__|fixtures?|test-?data|__tests__|tests?|examples?|templates?|vendor|third[_-]party)(\/|$)/i;

/**
 * What installs this tree, by lockfile first, and how; nothing: it has no dependencies. Where nothing installs at the top, each
 * directory with a lockfile of its own counts.
 */
export function detectInstalls(tree: DependencyTree): Install[] {
  const top = installIn(tree, '');
  if (top) return [top];
  const found: Install[] = [];
  const directories = new Set([...tree.contents.keys()].filter(isLockfile).map(directoryOf));
  for (const directory of [...directories].sort()) {
    if (NOT_PARTS.test(directory)) continue;
    // A lockfile inside another package with one is a workspace's leftover.
    if (found.some((one) => directory.startsWith(`${one.directory}/`))) continue;
    const install = installIn(tree, directory);
    if (install) found.push(install);
  }
  return found;
}
