import { copyFile, lstat, mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import type { SlotPlace } from './layout.ts';
import { moveToTrash } from './trash.ts';

/*
 * A job owns its slot's `.git` while it runs, so nothing in there is believed afterwards: refs, config, hooks, stash,
 * locks, flags in the index, borrowed objects. Headway keeps a pristine config and the index of the last proven tree
 * outside the slot and builds `.git` anew from them. The trusted index also tells which files changed: its times are
 * ours, and a job can't forge the change time of a file.
 */

const CONFIG = 'config';
const INDEX = 'index';
const BASE = 'base';

/** Commit of the last proven tree; undefined where the slot never had one. */
export async function provenCommit(place: SlotPlace): Promise<string | undefined> {
  const text = await readFile(join(place.state, BASE), 'utf8').catch(() => '');
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

/** Remembers the slot's index as the one of a tree that was just proved to be `commit`. */
export async function rememberProven(place: SlotPlace, commit: string): Promise<void> {
  const next = join(place.state, 'index.next');
  await copyIndex(join(place.gitDirectory, INDEX), next);
  await rename(next, join(place.state, INDEX));
  await writeFile(join(place.state, BASE), commit);
}

/**
 * Copies an index with its time, rounded down. Git reads a file again where it is not older than the index; a younger
 * copy would hide a change made in the same tick as the checkout.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeNs } = await stat(from, { bigint: true });
  await copyFile(from, to);
  const seconds = Number(mtimeNs / 1000n - 1n) / 1_000_000;
  await utimes(to, seconds, seconds);
}

export async function storeConfig(place: SlotPlace, config: string): Promise<void> {
  await mkdir(place.state, { recursive: true });
  await writeFile(join(place.state, CONFIG), config);
}

const excludes = (caches: readonly string[]): string =>
  ['node_modules/', ...caches.map((pattern) => pattern.replace(/^(?!\/)(?=.*\/)/, '**/'))].join('\n');

/** Moves the slot's `.git` away, whatever it has become, and builds a pristine one, detached at `commit`. */
export async function freshGitDirectory(
  place: SlotPlace,
  commit: string,
  caches: readonly string[] = [],
): Promise<void> {
  const git = place.gitDirectory;
  await moveToTrash(git, place.trash);
  await mkdir(join(git, 'objects', 'info'), { recursive: true });
  await mkdir(join(git, 'refs', 'heads'), { recursive: true });
  await mkdir(join(git, 'info'));
  const optional = (thrown: unknown): void => {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  };
  await Promise.all([
    writeAlternates(place),
    copyFile(join(place.state, CONFIG), join(git, 'config')),
    writeFile(join(git, 'info', 'exclude'), `${excludes(caches)}\n`),
    copyIndex(join(place.state, INDEX), join(git, INDEX)).catch(optional),
    copyFile(join(place.mirror, 'shallow'), join(git, 'shallow')).catch(optional),
  ]);
  // Last: without a HEAD git takes the directory for no repository, so a half-built one is never used.
  await writeFile(join(git, 'HEAD'), `${commit}\n`);
}

function writeAlternates(place: SlotPlace): Promise<void> {
  return writeFile(
    join(place.gitDirectory, 'objects', 'info', 'alternates'),
    `${join(place.mirror, 'objects')}\n`,
  );
}

/**
 * Makes a job's `.git` safe to read with git: its refs and objects stay, what could run programs or hide files goes.
 * Throws `not-allowed` where it is no plain git directory any more.
 */
export async function disarm(place: SlotPlace, caches: readonly string[]): Promise<void> {
  const git = place.gitDirectory;
  for (const name of ['.', 'objects', 'refs']) {
    const found = await lstat(join(git, name)).catch(() => undefined);
    if (!found?.isDirectory()) {
      throw new HeadwayError('not-allowed', `${join(git, name)} is no directory any more`);
    }
  }
  for (const name of ['config', 'config.worktree', 'commondir', 'info', 'hooks', 'shallow']) {
    await moveToTrash(join(git, name), place.trash);
  }
  await moveToTrash(join(git, 'objects', 'info'), place.trash);
  await mkdir(join(git, 'objects', 'info'));
  await mkdir(join(git, 'info'));
  await writeAlternates(place);
  await writeFile(join(git, 'info', 'exclude'), `${excludes(caches)}\n`);
  await copyFile(join(place.state, CONFIG), join(git, 'config'));
  await copyFile(join(place.mirror, 'shallow'), join(git, 'shallow')).catch(() => undefined); // not shallow
}

/** Points HEAD at a new branch on the commit where the slot stands detached. Only for a pristine git directory. */
export async function startBranch(place: SlotPlace, branch: string, commit: string): Promise<void> {
  const ref = join(place.gitDirectory, 'refs', 'heads', ...branch.split('/'));
  await mkdir(join(ref, '..'), { recursive: true });
  await writeFile(ref, `${commit}\n`);
  await writeFile(join(place.gitDirectory, 'HEAD'), `ref: refs/heads/${branch}\n`);
}

/** Throws `bad-input` for a name that git would refuse or that could leave `refs/heads`. */
export function assertBranchName(branch: string): void {
  const bad =
    branch.length > 200 ||
    !/^[\p{L}\p{N}][\p{L}\p{N}._/+@-]*$/u.test(branch) ||
    /\.\.|\/\/|\/\.|\.\/|@\{|\.lock(\/|$)|[./]$/.test(branch) ||
    branch === 'HEAD';
  if (bad)
    throw new HeadwayError('bad-input', `${JSON.stringify(branch.slice(0, 80))} can't name a job's branch`);
}
