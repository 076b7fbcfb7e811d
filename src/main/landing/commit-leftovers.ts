import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { HeadwayError } from '../../shared/errors.ts';
import type { Identity } from '../git/commit-message.ts';
import { git, gitLine, gitList, resolveCommit } from '../git/git.ts';
import { COMMIT_CONFIG, gitPaths, identityEnvironment, inside } from '../git/inside.ts';
import { clearHalfDone, judgeHalfDone } from './half-done.ts';

export type LeftoverOptions = {
  cwd: string;
  message: string;
  identity: Identity;
  /** Default: the identity. */
  author?: Identity;
  /** The commit that the attempt started from, where it is known. */
  base?: string;
};

/**
 * Commits what an agent left uncommitted in its slot (tracked, untracked and not ignored, deletions, modes, renames) on
 * top of whatever HEAD is, on a branch or not. The work tree is the truth: it is read into a fresh index, so neither
 * staged leftovers nor assume-unchanged bits nor a stale index.lock of the agent's hide anything. Undefined: nothing
 * was left. Errors `conflict` (half-done operation, see `judgeHalfDone`) and `not-allowed` (a nested repository, no
 * commit to stand on). No process of the agent may still run.
 */
export async function commitLeftovers(options: LeftoverOptions): Promise<string | undefined> {
  const { cwd } = options;
  const head = await resolveCommit(cwd, 'HEAD');
  if (head === undefined) {
    throw new HeadwayError(
      'not-allowed',
      'the agent left its work tree on a branch without commits; reopen the job',
    );
  }
  const { parents } = await judgeHalfDone(cwd);
  const [index = ''] = await gitPaths(cwd, ['index']);
  const fresh = `${index}.headway-${randomUUID()}`;
  const own = inside(cwd, { GIT_INDEX_FILE: fresh });
  try {
    await git(['read-tree', head], own);
    await refuseNestedRepositories(own);
    await addAll(own);
    if (options.base !== undefined) await keepCommittedLinks(own, options.base, head);
    const tree = await gitLine(['write-tree'], own);
    const unchanged = tree === (await gitLine(['rev-parse', `${head}^{tree}`], inside(cwd)));
    let commit: string | undefined;
    if (!unchanged || parents.length > 0) {
      const args = [head, ...parents].flatMap((parent) => ['-p', parent]);
      commit = await gitLine([...COMMIT_CONFIG, 'commit-tree', tree, ...args, '-F', '-'], {
        ...inside(cwd, identityEnvironment(options.identity, options.author)),
        input: options.message,
      });
      await git(['update-ref', '-m', 'headway: leftovers', 'HEAD', commit, head], inside(cwd));
    }
    await clearHalfDone(cwd);
    await rm(`${index}.lock`, { force: true });
    await rename(fresh, index);
    return commit;
  } finally {
    await rm(fresh, { force: true });
    await rm(`${fresh}.lock`, { force: true });
  }
}

/**
 * Adds the work tree to the index. Links to other repositories are left to `update-index`, which reads where their HEAD is;
 * `git add` would start another git inside, by settings that are the agent's.
 */
async function addAll(own: { cwd: string; env: Record<string, string> }): Promise<void> {
  const rows = await gitList(['ls-files', '-z', '--stage'], own);
  const links = rows
    .filter((row) => row.startsWith('160000 '))
    .map((row) => row.slice(row.indexOf('\t') + 1));
  const others = links.map((path) => `:(exclude,literal)${path}`);
  await git(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...own,
    input: ['.', ...others].map((path) => `${path}\0`).join(''),
  });
  if (links.length === 0) return;
  await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
    ...own,
    input: links.map((path) => `${path}\0`).join(''),
  });
}

/** `git add` would record a nested repository as a link to a commit that nobody else has. */
async function refuseNestedRepositories(own: { cwd: string; env: Record<string, string> }): Promise<void> {
  const others = await gitList(['ls-files', '-z', '--others', '--exclude-standard'], own);
  const nested = others.filter((entry) => entry.endsWith('/')).map((entry) => entry.slice(0, -1));
  if (nested.length === 0) return;
  throw new HeadwayError(
    'not-allowed',
    `the agent made a git repository inside the repository: ${nested.slice(0, 5).join(', ')}. ` +
      'Its files are kept without their history: headway saved recover makes a branch of them. ' +
      'Or reopen the job with a text that tells the agent to make none there',
    { data: { files: nested } },
  );
}

/**
 * A submodule that the agent moved in a commit while its work tree still stands where it stood: the commit is meant,
 * and adding the work tree would take it back.
 */
async function keepCommittedLinks(
  own: { cwd: string; env: Record<string, string> },
  base: string,
  head: string,
): Promise<void> {
  const fields = await gitList(
    [
      'diff-index',
      '--cached',
      '--raw',
      '--no-abbrev',
      '-z',
      '--no-renames',
      '--ignore-submodules=none',
      head,
    ],
    own,
  );
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [oldMode, newMode, committed, added] = (fields[index] ?? '').replace(/^:/, '').split(' ');
    const path = fields[index + 1] ?? '';
    if (oldMode !== '160000' || newMode !== '160000') continue;
    const entry = await gitLine(['ls-tree', '--format=%(objectname)', base, '--', path], own);
    if (entry === added) await git(['update-index', '--cacheinfo', `160000,${committed},${path}`], own);
  }
}
