import { lstatSync } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { discard, moveToTrash } from '../../disk/trash.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import { directoryOf } from '../install/dependency-tree.ts';
import type { KeepRule } from './kept-caches.ts';
import { settleModes } from './modes.ts';
import { slotGit, slotList } from './slot-git.ts';
import { emptyLinks, filledLinks } from './submodules.ts';

/**
 * What a job left, by the trusted index: paths that git does not track (a directory ends in `/`), and tracked files
 * that differ.
 */
type Left = { others: string[]; changed: string[]; tracked: string[] };

async function listLeft(place: SlotPlace): Promise<Left> {
  // Unlike `status`, this lists empty directories and looks into no ignored one.
  const rows = await slotList(place, [
    ...['ls-files', '-z', '-t', '--cached', '--modified', '--deleted', '--others', '--directory'],
  ]);
  const others: string[] = [];
  const directories = new Set<string>(['']);
  const changed = new Set<string>();
  const tracked: string[] = [];
  for (const row of rows) {
    const path = row.slice(2);
    if (row.startsWith('? ')) others.push(path);
    else if (row.startsWith('H ')) {
      tracked.push(path);
      for (let at = directoryOf(path); !directories.has(at); at = directoryOf(at)) directories.add(at);
    } else changed.add(path);
  }
  const special = await specialFiles(place, directories);
  return { others: [...others, ...special], changed: [...changed], tracked };
}

/** Sockets, pipes and devices among tracked files, which git never lists; a left socket stops the next job's server. */
async function specialFiles(place: SlotPlace, directories: ReadonlySet<string>): Promise<string[]> {
  const found = await Promise.all(
    [...directories].map(async (directory) => {
      const entries = await readdir(join(place.path, directory), { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink())
        .map((entry) => (directory === '' ? entry.name : `${directory}/${entry.name}`));
    }),
  );
  return found.flat();
}

function kindOf(path: string): 'file' | 'directory' | 'other' | 'none' {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'none';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}

/** Calls back for each topmost thing under `path` (as git lists it) that the rule keeps or does not keep. */
export async function visitUntracked(
  place: SlotPlace,
  listed: string,
  rule: KeepRule,
  visit: { kept?(path: string): void; notKept(path: string): Promise<void> },
): Promise<void> {
  // A trailing slash would make the system look through a link.
  const path = listed.replace(/\/+$/, '');
  const kind = kindOf(join(place.path, path));
  if (kind === 'none') {
    // A name that is no UTF-8 can't be asked for; only git itself can remove it.
    if (path.includes('\uFFFD')) await visit.notKept(path);
    return;
  }
  const verdict = rule(path, kind);
  if (verdict === 'keep') return visit.kept?.(path);
  if (verdict === 'remove') return visit.notKept(path);
  for (const name of await readdir(join(place.path, path))) {
    await visitUntracked(place, `${path}/${name}`, rule, visit);
  }
}

/** Files at a time between two turns of the event loop: a stat and an unlink take microseconds, a thread's turn more. */
const BATCH = 256;

/** Removes what is not kept; false where something could not be found to be removed. */
async function removeOthers(place: SlotPlace, others: readonly string[], rule: KeepRule): Promise<boolean> {
  let sinceTurn = 0;
  let all = true;
  for (const path of others) {
    await visitUntracked(place, path, rule, {
      notKept: async (found) => {
        all = (await discard(join(place.path, found), place.trash)) && all;
        sinceTurn += 1;
      },
    });
    if (sinceTurn >= BATCH) {
      sinceTurn = 0;
      await turn();
    }
  }
  return all;
}

/**
 * Says why the tree is not exactly `commit` plus kept caches; undefined where it is. Compares the commit with the index
 * and the index with the files; what git does not track must be kept by the rule. Submodules must still be empty.
 */
export async function proveClean(
  place: SlotPlace,
  commit: string,
  rule: KeepRule,
): Promise<string | undefined> {
  // `matching`, since the other mode reads all of `node_modules` to call it ignored.
  const [rows, links] = await Promise.all([
    slotList(place, [
      ...['status', '--porcelain=v2', '--branch', '-z', '--ignored=matching', '--no-renames'],
      ...['--untracked-files=normal', '--ignore-submodules=dirty'],
    ]),
    filledLinks(place),
  ]);
  if (links[0] !== undefined) return `${JSON.stringify(links[0])} is left over`;
  for (const row of rows) {
    if (row.startsWith('# branch.oid ')) {
      if (row.slice(13) !== commit) return `HEAD is ${row.slice(13, 25)}, expected ${commit.slice(0, 12)}`;
    } else if (row.startsWith('# ')) continue;
    else if (row.startsWith('? ') || row.startsWith('! ')) {
      const left: string[] = [];
      await visitUntracked(place, row.slice(2), rule, {
        notKept: async (path) => {
          left.push(path);
        },
      });
      if (left[0] !== undefined) return `${JSON.stringify(left[0])} is left over`;
    } else return `${JSON.stringify(row.split(' ').slice(8).join(' '))} differs from the commit`;
  }
  return undefined;
}

/** Checks out a commit, detached, over whatever the tracked files are now. Throws with git's words. */
export async function checkOut(place: SlotPlace, commit: string, signal?: AbortSignal): Promise<void> {
  await slotGit(
    place,
    ['checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', commit, '--'],
    signal ? { signal } : {},
  ).catch((thrown: unknown) => {
    throw explainCheckout(thrown);
  });
}

function explainCheckout(thrown: unknown): Error {
  const error = toError(thrown);
  if (thrown instanceof HeadwayError && thrown.code === 'cancelled') return thrown;
  const details = thrown instanceof HeadwayError ? String(thrown.data?.stderr ?? '') : '';
  if (/git-lfs|smudge filter lfs|filter.*lfs/i.test(`${error.message} ${details}`)) {
    return new HeadwayError(
      'unavailable',
      `the repository keeps files in Git LFS and its filter does not run: install git-lfs and run "git lfs install" (${error.message})`,
      { cause: thrown },
    );
  }
  return error;
}

/** A job may have closed directories that tracked files live in. Links are not entered. */
async function openDirectories(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return; // gone, or a name that is no UTF-8: git's own clean removes it
  if ((found.mode & 0o700) !== 0o700) await chmod(path, 0o755);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') {
      await openDirectories(join(path, entry.name));
    }
  }
}

/**
 * Brings the tree back to its trusted index plus kept caches, the fast way: one listing proves the files that did not
 * change and names the rest, whose removal and restoring are seen to succeed. False: take the thorough way.
 */
export async function restoreTree(place: SlotPlace, rule: KeepRule): Promise<boolean> {
  try {
    const left = await listLeft(place);
    if (!(await removeOthers(place, left.others, rule))) return false;
    if (left.changed.length > 0) {
      await slotGit(place, ['checkout-index', '--index', '--force', '-z', '--stdin'], {
        input: left.changed.map((path) => `${path}\0`).join(''),
      });
    }
    await settleModes(place, left.tracked);
    return true;
  } catch {
    return false;
  }
}

/**
 * Brings the tree to `commit` plus kept caches, believing nothing. Needs a pristine git directory. Returns why it can't
 * be proved clean; undefined: it is. Throws where git can't do it at all.
 */
export async function settleTree(
  place: SlotPlace,
  commit: string,
  rule: KeepRule,
): Promise<string | undefined> {
  await openDirectories(place.path);
  await moveToTrash(join(place.gitDirectory, 'index'), place.trash);
  await slotGit(place, ['read-tree', commit]);
  await removeOthers(place, (await listLeft(place)).others, rule);
  await checkOut(place, commit);
  await emptyLinks(place);
  // Names that are no UTF-8 reach git unharmed only from git itself.
  const left = await listLeft(place);
  await settleModes(place, left.tracked);
  if (left.others.some((path) => path.includes('\uFFFD'))) {
    await slotGit(place, ['clean', '-ffdxq', '-e', 'node_modules/']);
  }
  return proveClean(place, commit, rule);
}
