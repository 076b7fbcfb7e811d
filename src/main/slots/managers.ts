import {
  type DependencyTree,
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

export type Detection =
  | { kind: 'none' }
  | {
      kind: 'manager';
      manager: ManagerId;
      /** The root lockfile that decides; undefined: there is none. */
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

function pinnedManager(tree: DependencyTree): { name: string; version: string } | undefined {
  const value = manifestOf(tree, 'package.json')?.packageManager;
  const match = typeof value === 'string' ? /^([a-z]+)@(\d[^+]*)/.exec(value) : undefined;
  return match?.[1] && match[2] ? { name: match[1], version: match[2] } : undefined;
}

function yarnKind(tree: DependencyTree, pinned: { name: string; version: string } | undefined): ManagerId {
  const lock = textOf(tree, 'yarn.lock') ?? '';
  if (/^__metadata:/m.test(lock)) return 'yarn-berry';
  if (/^# yarn lockfile v1/m.test(lock)) return 'yarn';
  if (pinned?.name === 'yarn') return Number.parseInt(pinned.version, 10) >= 2 ? 'yarn-berry' : 'yarn';
  return tree.ids.has('.yarnrc.yml') ? 'yarn-berry' : 'yarn';
}

const managerOf = (
  tree: DependencyTree,
  lockfile: string,
  pinned: { name: string; version: string } | undefined,
): ManagerId => BY_LOCKFILE[lockfile] ?? yarnKind(tree, pinned);

function choose(
  tree: DependencyTree,
  pinned: { name: string; version: string } | undefined,
): { manager: ManagerId; lockfile?: string } | undefined {
  const present = ORDER.filter((name) => LOCKFILES.includes(name) && tree.ids.has(name));
  const own = present.find((name) => managerOf(tree, name, pinned).split('-')[0] === pinned?.name);
  const lockfile = own ?? present[0];
  if (lockfile !== undefined) return { manager: managerOf(tree, lockfile, pinned), lockfile };
  if (!needsInstall(tree)) return undefined;
  if (pinned?.name === 'yarn') return { manager: yarnKind(tree, pinned) };
  if (pinned?.name === 'pnpm' || pinned?.name === 'bun') return { manager: pinned.name };
  return { manager: 'npm' };
}

/** Without a lockfile: something to install, or a script that an install would run. */
function needsInstall(tree: DependencyTree): boolean {
  return relevantManifests(tree).some((path) => {
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

/** Which package manager installs this tree, by lockfile first, and how. */
export function detectManager(tree: DependencyTree): Detection {
  if (!tree.ids.has('package.json')) return { kind: 'none' };
  const pinned = pinnedManager(tree);
  const chosen = choose(tree, pinned);
  if (!chosen) return { kind: 'none' };
  return {
    kind: 'manager',
    ...chosen,
    ...commandOf(chosen.manager, chosen.lockfile !== undefined),
    ...(pinned ? { pinned } : {}),
  };
}
