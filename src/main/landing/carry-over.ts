import type { Identity } from '../git/commit-message.ts';
import { gitLine } from '../git/git.ts';
import { COMMIT_CONFIG, identityEnvironment, inside } from '../git/inside.ts';
import { isAncestor, type MergeResult, mergeOnto, mergeTrees } from './merge-onto.ts';

type OntoOptions = {
  cwd: string;
  /** The base that the work was made on. */
  oldBase: string;
  /** Where the base stands now. */
  base: string;
  head: string;
  message: string;
  identity: Identity;
};

/**
 * Brings work onto a base that moved: a merge where the base went on, and the change alone as one commit where its
 * history was rewritten or moved back. A merge there would bring back what somebody took away. Object store only.
 */
export async function bringOnto(options: OntoOptions): Promise<MergeResult> {
  const { cwd, oldBase, base } = options;
  return (await isAncestor(cwd, oldBase, base)) ? mergeOnto(options) : carryOver(options);
}

async function carryOver(options: OntoOptions): Promise<MergeResult> {
  const { cwd, oldBase, base, head, identity } = options;
  const own = inside(cwd, identityEnvironment(identity));
  const commit = (tree: string, message: string, ...parents: string[]): Promise<string> =>
    gitLine(
      [
        ...COMMIT_CONFIG,
        'commit-tree',
        `${tree}^{tree}`,
        ...parents.flatMap((parent) => ['-p', parent]),
        '-F',
        '-',
      ],
      { ...own, input: message },
    );
  // Both sides as children of the old base's tree and of nothing else: older gits take no merge base by option.
  const root = await commit(oldBase, 'base\n');
  const ours = await commit(base, 'ours\n', root);
  const theirs = await commit(head, 'theirs\n', root);
  const merged = await mergeTrees(cwd, ours, theirs);
  if (merged.kind === 'conflict') return merged;
  const standing = await gitLine(['rev-parse', `${base}^{tree}`], inside(cwd));
  if (merged.tree === standing) return { kind: 'fast-forward', commit: base }; // the new history holds it already
  return { kind: 'merged', commit: await commit(merged.tree, options.message, base) };
}
