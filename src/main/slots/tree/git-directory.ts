import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { HeadwayError } from '../../../shared/errors.ts';
import { moveToTrash } from '../../disk/trash.ts';
import { CONFIG, NEVER_IN_A_SLOT } from '../../git/slot-guard.ts';
import type { SlotPlace } from '../../paths/layout.ts';

/*
 * A job owns its slot's `.git` while it runs, so nothing in there is believed afterwards: refs, config, hooks, stash,
 * locks, flags in the index, borrowed objects. Headway keeps a pristine config and the index of the last proven tree
 * outside the slot and builds `.git` anew from them. The trusted index also tells which files changed: its times are
 * ours, and a job can't forge the change time of a file.
 *
 * The few small files are read and written synchronously: on a busy machine a dozen trips to the thread pool cost a
 * hand-out more than git does.
 */

const INDEX = 'index';
const BASE = 'base';

/** Commit of the last proven tree; undefined where the slot never had one. */
export function provenCommit(place: SlotPlace): string | undefined {
  const file = join(place.state, BASE);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

/** The trusted index belongs to its commit by name, so that a crash between two writes never pairs it with another. */
const trustedIndex = (place: SlotPlace, commit: string): string => join(place.state, `${INDEX}.${commit}`);

export const hasTrustedIndex = (place: SlotPlace, commit: string): boolean =>
  existsSync(trustedIndex(place, commit));

/** The file of the trusted index of the last proven commit. */
export function provenIndex(place: SlotPlace): string {
  return trustedIndex(place, provenCommit(place) ?? '');
}

/** Remembers the slot's index as the one of a tree that was just proved to be `commit`. */
export function rememberProven(place: SlotPlace, commit: string): void {
  const next = join(place.state, 'next');
  copyIndex(join(place.gitDirectory, INDEX), next);
  renameSync(next, trustedIndex(place, commit));
  const before = provenCommit(place);
  writeFileSync(next, commit);
  renameSync(next, join(place.state, BASE));
  if (before !== undefined && before !== commit) rmSync(trustedIndex(place, before), { force: true });
}

/**
 * Copies an index with its time, rounded down. Git reads a file again where it is not older than the index; a younger
 * copy would hide a change made in the same tick as the checkout.
 */
function copyIndex(from: string, to: string): void {
  const { mtimeNs } = statSync(from, { bigint: true });
  copyFileSync(from, to);
  const seconds = Number(mtimeNs / 1000n - 1n) / 1_000_000;
  utimesSync(to, seconds, seconds);
}

export function storeConfig(place: SlotPlace, config: string): void {
  mkdirSync(place.state, { recursive: true });
  writeFileSync(join(place.state, CONFIG), config);
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
  mkdirSync(join(git, 'refs', 'heads'), { recursive: true });
  fillGitDirectory(place, caches);
  if (hasTrustedIndex(place, commit)) copyIndex(trustedIndex(place, commit), join(git, INDEX));
  // Last: without a HEAD git takes the directory for no repository, so a half-built one is never used.
  writeFileSync(join(git, 'HEAD'), `${commit}\n`);
}

/** What decides how git sees the slot: config, ignored caches, and where objects are borrowed. */
function fillGitDirectory(place: SlotPlace, caches: readonly string[]): void {
  const git = place.gitDirectory;
  mkdirSync(join(git, 'objects', 'info'), { recursive: true });
  mkdirSync(join(git, 'info'));
  writeFileSync(join(git, 'objects', 'info', 'alternates'), `${join(place.mirror, 'objects')}\n`);
  writeFileSync(join(git, 'info', 'exclude'), `${excludes(caches)}\n`);
  copyFileSync(join(place.state, CONFIG), join(git, 'config'));
  const shallow = join(place.mirror, 'shallow');
  if (existsSync(shallow)) copyFileSync(shallow, join(git, 'shallow'));
}

/**
 * Makes a job's `.git` safe to read with git: its refs and objects stay, what could run programs or hide files goes.
 * Throws `not-allowed` where it is no plain git directory any more.
 */
export async function disarm(place: SlotPlace, caches: readonly string[]): Promise<void> {
  const git = place.gitDirectory;
  for (const name of ['.', 'objects', 'refs']) {
    if (!lstatSync(join(git, name), { throwIfNoEntry: false })?.isDirectory()) {
      throw new HeadwayError('not-allowed', `${join(git, name)} is no directory any more`);
    }
  }
  for (const name of [CONFIG, 'info', 'shallow', 'objects/info', ...NEVER_IN_A_SLOT]) {
    await moveToTrash(join(git, name), place.trash);
  }
  fillGitDirectory(place, caches);
}

/** Points HEAD at a new branch on the commit where the slot stands detached. Only for a pristine git directory. */
export function startBranch(place: SlotPlace, branch: string, commit: string): void {
  const ref = join(place.gitDirectory, 'refs', 'heads', ...branch.split('/'));
  mkdirSync(join(ref, '..'), { recursive: true });
  writeFileSync(ref, `${commit}\n`);
  writeFileSync(join(place.gitDirectory, 'HEAD'), `ref: refs/heads/${branch}\n`);
}
