import { HeadwayError } from '../../shared/errors.ts';
import type { Identity } from '../git/commit-message.ts';
import { git, gitLine } from '../git/git.ts';
import { COMMIT_CONFIG, identityEnvironment, inside } from '../git/inside.ts';

export type MergeResult =
  /** `commit` holds both sides without a merge commit: the head, or the base where the head is in it already. */
  | { kind: 'fast-forward'; commit: string }
  | { kind: 'merged'; commit: string }
  /** The files that git could not merge. */
  | { kind: 'conflict'; files: string[] };

/** Is `ancestor` reachable from `descendant`? Both commits must be known in `cwd`. */
export async function isAncestor(cwd: string, ancestor: string, descendant: string): Promise<boolean> {
  const { exit } = await git(['merge-base', '--is-ancestor', ancestor, descendant], {
    ...inside(cwd),
    ok: [0, 1],
  });
  return exit === 0;
}

/**
 * Merges `head` into `base` in the object store alone: no work tree, index or ref is touched. Both commits must be
 * known in `cwd` (fetch the mirror first). The merge commit has the base as its first parent.
 */
export async function mergeOnto(options: {
  cwd: string;
  base: string;
  head: string;
  message: string;
  identity: Identity;
}): Promise<MergeResult> {
  const { cwd, base, head } = options;
  if (await isAncestor(cwd, base, head)) return { kind: 'fast-forward', commit: head };
  if (await isAncestor(cwd, head, base)) return { kind: 'fast-forward', commit: base };
  const merged = await mergeTrees(cwd, base, head);
  if (merged.kind === 'conflict') return merged;
  const commit = await gitLine(
    [...COMMIT_CONFIG, 'commit-tree', merged.tree, '-p', base, '-p', head, '-F', '-'],
    { ...inside(cwd, identityEnvironment(options.identity)), input: options.message },
  );
  return { kind: 'merged', commit };
}

/** The tree of both commits merged, in the object store alone. */
export async function mergeTrees(
  cwd: string,
  ours: string,
  theirs: string,
): Promise<{ kind: 'tree'; tree: string } | { kind: 'conflict'; files: string[] }> {
  const merged = await git(
    [
      '-c',
      'merge.directoryRenames=conflict',
      'merge-tree',
      '--write-tree',
      '-z',
      '--name-only',
      '--no-messages',
      ours,
      theirs,
    ],
    { ...inside(cwd), ok: [0, 1] },
  );
  const [tree, ...files] = merged.stdout.split('\0').filter((field) => field !== '');
  if (tree === undefined) throw new HeadwayError('internal', `git merge-tree said nothing: ${merged.stderr}`);
  if (merged.exit === 1) return { kind: 'conflict', files: [...new Set(files)].sort() };
  return { kind: 'tree', tree: tree.trim() };
}
