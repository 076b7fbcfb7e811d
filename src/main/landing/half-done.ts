import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import { gitList, resolveCommit } from '../git/git.ts';
import { gitPaths, inside } from '../git/inside.ts';
import { operationsInProgress } from './user-checkout.ts';

/** State files of operations that an agent may leave half done. */
const STATE = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'sequencer',
  'rebase-merge',
  'rebase-apply',
] as const;

const textOf = async (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** Steps that a half-done rebase has not applied yet. */
async function pendingPicks(cwd: string): Promise<number> {
  const [merge = '', apply = ''] = await gitPaths(cwd, ['rebase-merge', 'rebase-apply']);
  const todo = await textOf(join(merge, 'git-rebase-todo'));
  const picks = todo.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#')).length;
  const [next, last] = await Promise.all([textOf(join(apply, 'next')), textOf(join(apply, 'last'))]);
  return picks + Math.max(0, Number(last) - Number(next));
}

async function filesWithMarkers(cwd: string): Promise<string[]> {
  const unmerged = new Set(
    (await gitList(['ls-files', '-z', '--unmerged'], inside(cwd))).map((entry) =>
      entry.slice(entry.indexOf('\t') + 1),
    ),
  );
  const marked: string[] = [];
  for (const file of unmerged) {
    if (/^(<{7}|>{7})( |$)/m.test(await textOf(join(cwd, file)))) marked.push(file);
  }
  return marked;
}

/**
 * What an agent left half done is judged by its files. Resolved (no conflict markers, nothing left to apply): the work
 * tree counts as the result; the other side of a merge is returned as a further parent. Not resolved: error `conflict`
 * that names the operation and files; the slot's reset keeps all of it under a ref.
 */
export async function judgeHalfDone(cwd: string): Promise<{ parents: string[] }> {
  const operations = await operationsInProgress(cwd);
  const marked = await filesWithMarkers(cwd);
  const what = operations.length > 0 ? `${operations.join(' and ')} half done` : 'an unfinished merge';
  if (marked.length > 0) {
    throw new HeadwayError(
      'conflict',
      `the agent left ${what} with conflict markers in ${marked.slice(0, 5).join(', ')}; resolve them or reopen the job`,
      { data: { files: marked } },
    );
  }
  if (operations.length === 0) return { parents: [] };
  const pending = await pendingPicks(cwd);
  if (pending > 0) {
    throw new HeadwayError(
      'conflict',
      `the agent left ${what}: ${pending} more commit(s) to apply; finish it or reopen the job`,
      { data: { pending } },
    );
  }
  const other = await resolveCommit(cwd, 'MERGE_HEAD');
  return { parents: other === undefined ? [] : [other] };
}

/** Forgets half-done operations, after their result was committed. */
export async function clearHalfDone(cwd: string): Promise<void> {
  for (const path of await gitPaths(cwd, STATE)) await rm(path, { recursive: true, force: true });
}
