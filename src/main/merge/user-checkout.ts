import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitLine, gitList } from '../git/git.ts';
import { inside } from './inside.ts';

/** A work tree of the user's in which the base branch is checked out. */
export type Checkout = { path: string };

/** From one commit to another; the slot knows both, the user's repository perhaps not yet. */
export type Move = { slotPath: string; from: string; commit: string };

/** Every work tree of the user's (the main one and linked ones) that has `branch` checked out. */
export async function checkoutsOf(repositoryPath: string, branch: string): Promise<Checkout[]> {
  const fields = await gitList(['worktree', 'list', '--porcelain', '-z'], { cwd: repositoryPath });
  const found: Checkout[] = [];
  let path: string | undefined;
  for (const field of fields) {
    if (field.startsWith('worktree ')) path = field.slice('worktree '.length);
    else if (field === `branch refs/heads/${branch}` && path !== undefined) found.push({ path });
  }
  const present: Checkout[] = [];
  for (const checkout of found) if (await exists(checkout.path)) present.push(checkout);
  return present;
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
] as const;

/** Half-done operations (merge, rebase, …) of a work tree, in words. */
export async function operationsInProgress(worktree: string): Promise<string[]> {
  const found: string[] = [];
  for (const [file, words] of OPERATIONS) {
    const path = await gitLine(['rev-parse', '--path-format=absolute', '--git-path', file], inside(worktree));
    if (await exists(path)) found.push(words);
  }
  return found;
}

/** Tracked files with staged or unstaged changes; submodules' own work is theirs. */
async function trackedChanges(worktree: string): Promise<string[]> {
  const fields = await gitList(
    ['status', '--porcelain=v1', '-z', '--untracked-files=no', '--ignore-submodules=all', '--no-renames'],
    { cwd: worktree },
  );
  return fields.map((field) => field.slice(3));
}

/**
 * Files of the user's, untracked or ignored, that lie where `commit` adds something. Git itself would overwrite an
 * ignored one without a word.
 */
async function filesInTheWay(worktree: string, move: Move): Promise<string[]> {
  const diff = (filter: string): Promise<string[]> =>
    gitList(
      [
        'diff-tree',
        '-r',
        '-z',
        '--no-renames',
        '--name-only',
        `--diff-filter=${filter}`,
        move.from,
        move.commit,
      ],
      inside(move.slotPath),
    );
  const [added, gone] = await Promise.all([diff('A'), diff('D').then((paths) => new Set(paths))]);
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
  const operations = await operationsInProgress(checkout.path);
  return [...operations.map((words) => `(${words} in progress)`), ...(await trackedChanges(checkout.path))];
}

/** Why this work tree may not be moved now: files, or an operation in progress; empty if it may. */
export async function workAtRisk(checkout: Checkout, move: Move): Promise<string[]> {
  return [...new Set([...(await workOf(checkout)), ...(await filesInTheWay(checkout.path, move))])];
}

/**
 * A push can fail after git has moved the checkout along (a hook that refuses the ref at the very end, a base that
 * moved in that instant). Then index and files hold `commit` exactly, and go back to where the branch stands.
 */
export async function undoHalfMove(checkout: Checkout, commit: string, branchTip: string): Promise<void> {
  const cwd = checkout.path;
  const ask = (args: string[]): Promise<string> =>
    git(args, { cwd, ok: [0, 128] }).then(({ exit, stdout }) => (exit === 0 ? stdout.trim() : ''));
  const [index, moved, stands] = await Promise.all([
    ask(['write-tree']),
    ask(['rev-parse', `${commit}^{tree}`]), // unknown here if the push ended early
    ask(['rev-parse', `${branchTip}^{tree}`]),
  ]);
  if (index === '' || index !== moved || moved === stands) return;
  await git(['read-tree', '-m', '-u', commit, branchTip], { cwd });
}
