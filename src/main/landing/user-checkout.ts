import { lstat, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitList } from '../git/git.ts';
import { gitPaths, inside } from '../git/inside.ts';
import type { Environment } from '../processes/environment.ts';

/** A work tree of the user's in which the base branch is checked out. */
export type Checkout = {
  path: string;
  /**
   * Git itself knows where it lies and moves it along with a push. Not so for a submodule or a separate git directory:
   * there git takes the git directory for the work tree.
   */
  followsPush: boolean;
};

/** From one commit to another; the slot knows both, the user's repository perhaps not yet. */
export type Move = { slotPath: string; from: string; commit: string };

/**
 * Every work tree of the user's (the main one and linked ones) that has `branch` checked out, or holds it while it is rebased or
 * bisected: git refuses to move it there.
 */
export async function checkoutsOf(repositoryPath: string, branch: string): Promise<Checkout[]> {
  const fields = await gitList(['worktree', 'list', '--porcelain', '-z'], { cwd: repositoryPath });
  const found: string[] = [];
  let path: string | undefined;
  for (const field of fields) {
    if (field.startsWith('worktree ')) path = field.slice('worktree '.length);
    else if (path === undefined) continue;
    else if (field === `branch refs/heads/${branch}`) found.push(path);
    else if (field === 'detached' && (await holds(path, branch))) found.push(path);
  }
  const checkouts: Checkout[] = [];
  for (const place of found) {
    if (!(await exists(place))) continue; // a linked work tree that was deleted
    const inTree = await git(['rev-parse', '--is-inside-work-tree'], { cwd: place, ok: [0, 128] });
    if (inTree.stdout.trim() === 'true') checkouts.push({ path: place, followsPush: true });
    else checkouts.push({ path: repositoryPath, followsPush: false });
  }
  return checkouts;
}

/** Whether a work tree without a branch is in the middle of a rebase or bisect of this one. */
async function holds(worktree: string, branch: string): Promise<boolean> {
  if (!(await exists(worktree))) return false;
  const files = await gitPaths(worktree, [
    'rebase-merge/head-name',
    'rebase-apply/head-name',
    'BISECT_START',
  ]);
  const names = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return names.some((name) => name.trim().replace(/^refs\/heads\//, '') === branch);
}

/** Moves the files and index of a clean checkout from one commit to another; false where git refused. */
export async function moveCheckout(checkout: Checkout, from: string, to: string): Promise<boolean> {
  const { exit } = await git(['read-tree', '-m', '-u', from, to], { cwd: checkout.path, ok: [0, 1, 128] });
  return exit === 0;
}

const exists = async (path: string): Promise<boolean> => (await stateOf(path)) !== 'absent';

async function stateOf(path: string): Promise<'absent' | 'directory' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'directory' : 'other';
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    throw thrown;
  }
}

const OPERATIONS = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase or am'],
  ['BISECT_START', 'a bisect'],
] as const;

/** Half-done operations (merge, rebase, …) of a work tree, in words. */
export const operationsInProgress = async (worktree: string): Promise<string[]> =>
  (await underWay(worktree)).operations;

/** Half-done operations, in words, and the lock of a git that has the index now or died with it. */
async function underWay(worktree: string): Promise<{ operations: string[]; lock: string | undefined }> {
  const [lock = '', ...places] = await gitPaths(worktree, [
    'index.lock',
    ...OPERATIONS.map(([file]) => file),
  ]);
  const [locked, ...there] = await Promise.all([lock, ...places].map(exists));
  return {
    operations: OPERATIONS.filter((_, index) => there[index]).map(([, words]) => words),
    lock: locked ? lock : undefined,
  };
}

/** Tracked files with staged or unstaged changes; submodules' own work is theirs. */
export async function trackedChanges(worktree: string): Promise<string[]> {
  const fields = await gitList(
    ['status', '--porcelain=v1', '-z', '--untracked-files=no', '--ignore-submodules=all', '--no-renames'],
    { cwd: worktree },
  );
  return fields.map((field) => field.slice(3));
}

/** Paths that differ between two commits, each with git's letter for how. */
export async function nameStatus(
  options: { cwd: string; env?: Environment },
  from: string,
  to: string,
  ...more: readonly string[]
): Promise<{ status: string; path: string }[]> {
  // Letter and path take turns.
  const fields = await gitList(
    ['diff-tree', '-r', '-z', '--no-renames', '--name-status', ...more, from, to],
    options,
  );
  return fields.flatMap((status, index) =>
    index % 2 === 0 ? [{ status, path: fields[index + 1] ?? '' }] : [],
  );
}

/**
 * Files of the user's, untracked or ignored, that lie where `commit` adds something. Git itself would overwrite an
 * ignored one without a word.
 */
export async function filesInTheWay(worktree: string, move: Move): Promise<string[]> {
  const differing = await nameStatus(inside(move.slotPath), move.from, move.commit);
  const added = differing.filter(({ status }) => status === 'A').map(({ path }) => path);
  const gone = new Set(differing.filter(({ status }) => status === 'D').map(({ path }) => path));
  const found = new Set<string>();
  const checkedParents = new Set<string>();
  for (const path of added) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const parent = parts.slice(0, depth).join('/');
      if (checkedParents.has(parent)) continue;
      checkedParents.add(parent);
      if (!gone.has(parent) && (await stateOf(join(worktree, parent))) === 'other') found.add(parent);
    }
    const state = await stateOf(join(worktree, path));
    if (state === 'other' && !gone.has(path)) found.add(path);
    if (state === 'directory') {
      for (const other of await gitList(['ls-files', '-z', '--others', '--', `:(literal)${path}/`], {
        cwd: worktree,
      })) {
        found.add(other);
      }
    }
  }
  return [...found];
}

/** Operations in progress and tracked files with changes that are not committed. */
export async function workOf(checkout: Checkout): Promise<string[]> {
  const { operations, lock } = await underWay(checkout.path);
  return [
    ...operations.map((words) => `(${words} in progress)`),
    // Git would refuse to move the files. Left behind by a command that died, it stays until a person removes it.
    ...(lock !== undefined ? [`(another git command in progress: ${lock})`] : []),
    ...(await trackedChanges(checkout.path)),
  ];
}

/** Why this work tree may not be moved now: files, or an operation in progress; empty if it may. */
export async function workAtRisk(checkout: Checkout, move: Move): Promise<string[]> {
  return [...new Set([...(await workOf(checkout)), ...(await filesInTheWay(checkout.path, move))])];
}

/**
 * A push can fail, or its process die, after git has moved the checkout along and before it moved the branch. Then
 * index and files hold `commit` exactly, and go back to where the branch stands.
 */
export async function undoHalfMove(checkout: Checkout, commit: string, branchTip: string): Promise<void> {
  const cwd = checkout.path;
  const tree = (revision: string): Promise<string> =>
    git(['rev-parse', '--verify', '--quiet', `${revision}^{tree}`], { cwd, ok: [0, 1, 128] }).then(
      ({ exit, stdout }) => (exit === 0 ? stdout.trim() : ''),
    );
  const moved = await tree(commit);
  if (moved === '' || moved === (await tree(branchTip))) return; // unknown here: the push ended early
  const index = await git(['diff-index', '--cached', '--quiet', commit, '--'], { cwd, ok: [0, 1, 128] });
  if (index.exit !== 0) return;
  await moveCheckout(checkout, commit, branchTip);
}

/**
 * A git that was killed while it moved a checkout has written some files and not yet the index. What it wrote is the
 * content of `to` or the beginning of it, and goes back to what the index holds, `from`; anything else is left alone.
 */
export async function undoPartMove(checkout: Checkout, from: string, to: string): Promise<void> {
  const cwd = checkout.path;
  const index = await git(['diff-index', '--cached', '--quiet', from, '--'], { cwd, ok: [0, 1, 128] });
  if (index.exit !== 0) return;
  const paths = await gitList(['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to], { cwd });
  for (const path of paths) {
    const there = await readFile(join(cwd, path), 'utf8').catch(() => undefined);
    const [old, fresh] = await Promise.all([contentOf(cwd, from, path), contentOf(cwd, to, path)]);
    if (there === old) continue;
    if (there !== undefined && !fresh?.startsWith(there)) continue;
    if (old === undefined) await rm(join(cwd, path), { force: true });
    else await git(['checkout-index', '-f', '-q', '--', path], { cwd, ok: [0, 1, 128] });
  }
}

/** As it would lie in the work tree; undefined where the commit has no such file. */
export async function contentOf(cwd: string, commit: string, path: string): Promise<string | undefined> {
  const { exit, stdout } = await git(['cat-file', '--filters', `${commit}:${path}`], { cwd, ok: [0, 128] });
  return exit === 0 ? stdout : undefined;
}
