import { HeadwayError } from '../../shared/errors.ts';
import { changedFiles } from '../git/changed-files.ts';
import type { Identity } from '../git/commit-message.ts';
import { git, gitLine, resolveCommit } from '../git/git.ts';
import { COMMIT_CONFIG, identityEnvironment, inside } from '../git/inside.ts';
import { commitLeftovers } from './commit-leftovers.ts';
import { isAncestor, mergeTrees } from './merge-onto.ts';

export type CollectOptions = {
  cwd: string;
  /** The commit that the attempt started from. */
  base: string;
  /** Message of a commit that Headway makes, trailers included. */
  message: string;
  /** Lines such as `Headway-Job: 12`, added to the last commit where the agent made it itself. */
  trailers: string;
  identity: Identity;
  /** Of what the agent did not commit itself; default: the identity. */
  author?: Identity;
};

/**
 * One commit that holds all of an attempt's work, however the agent left it, with Headway's trailers: its own commits
 * stay, what it did not commit comes on top. Where it rewrote what was there before it (an amended commit, a branch without history),
 * what it changed becomes one commit on the base. HEAD and the work tree stand on it afterwards. Undefined: nothing differs
 * from the base. Errors as `commitLeftovers`, and `not-allowed` for a link to a repository that is no submodule
 * and for rewritten history that does not fit the base.
 */
export async function collectWork(options: CollectOptions): Promise<string | undefined> {
  const { cwd, base } = options;
  await commitLeftovers(options);
  if ((await resolveCommit(cwd, base)) === undefined) {
    throw new HeadwayError(
      'not-allowed',
      'the agent replaced the git repository of its work tree, and what it started from is not in the new one; reopen the job',
    );
  }
  let head = await gitLine(['rev-parse', 'HEAD'], inside(cwd));
  if (head === base) {
    const tip = await workOnAnotherBranch(cwd, base);
    if (tip === undefined) return undefined;
    await git(['checkout', '--quiet', '--detach', tip], inside(cwd));
    head = tip;
  } else if (!(await isAncestor(cwd, base, head))) {
    head = await ontoBase(options, head);
  }
  const files = await changedFiles({ cwd, base, head });
  if (files.length === 0) return undefined;
  await refuseStrayLinks(
    cwd,
    head,
    files.filter(({ kind, change }) => kind === 'submodule' && change !== 'deleted').map(({ path }) => path),
  );
  return stamped(options, head);
}

/** One commit on the base with what `head`, which does not descend from it, changed since they parted. */
async function ontoBase(
  { cwd, base, message, identity, author }: CollectOptions,
  head: string,
): Promise<string> {
  const shared = await git(['merge-base', base, head], { ...inside(cwd), ok: [0, 1] });
  const merged =
    shared.exit === 0 ? await mergeTrees(cwd, base, head) : { kind: 'tree' as const, tree: `${head}^{tree}` };
  if (merged.kind === 'conflict') {
    throw new HeadwayError(
      'not-allowed',
      `the agent rewrote commits that were there before it, and what came of it conflicts with them in ${merged.files.slice(0, 5).join(', ')}; reopen the job`,
      { data: { files: merged.files } },
    );
  }
  const commit = await gitLine([...COMMIT_CONFIG, 'commit-tree', merged.tree, '-p', base, '-F', '-'], {
    ...inside(cwd, identityEnvironment(identity, author)),
    input: message,
  });
  await git(['checkout', '--quiet', '--detach', commit], inside(cwd));
  return commit;
}

/** The agent committed on a branch and then went back: the one branch that goes on from the base and holds the rest. */
async function workOnAnotherBranch(cwd: string, base: string): Promise<string | undefined> {
  const { stdout } = await git(
    ['for-each-ref', '--format=%(objectname)', '--contains', base, 'refs/heads'],
    inside(cwd),
  );
  const tips = [...new Set(stdout.split('\n'))].filter((tip) => tip !== '' && tip !== base);
  for (const tip of tips) {
    const holds = await Promise.all(tips.map((other) => isAncestor(cwd, other, tip)));
    if (holds.every(Boolean)) return tip;
  }
  if (tips.length === 0) return undefined;
  throw new HeadwayError(
    'not-allowed',
    `the agent left work on ${tips.length} branches and none of them checked out; choose one by hand`,
  );
}

async function refuseStrayLinks(cwd: string, commit: string, links: readonly string[]): Promise<void> {
  if (links.length === 0) return;
  const { stdout } = await git(
    ['config', '--blob', `${commit}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'],
    { ...inside(cwd), ok: [0, 1, 128] },
  );
  const known = new Set(stdout.split('\0').map((entry) => entry.slice(entry.indexOf('\n') + 1)));
  const stray = links.filter((path) => !known.has(path));
  if (stray.length === 0) return;
  throw new HeadwayError(
    'not-allowed',
    `the agent committed a link to a git repository that is no submodule: ${stray.slice(0, 5).join(', ')}. ` +
      'What it did is kept: see headway saved. Reopen the job with a text that tells the agent to commit files instead',
    { data: { files: stray } },
  );
}

/** The same commit with our trailers; author, date, text, tree and parents stay. */
async function stamped(options: CollectOptions, head: string): Promise<string> {
  const { cwd, trailers } = options;
  const shown = await git(
    [
      '-c',
      'i18n.logOutputEncoding=UTF-8',
      'log',
      '-1',
      '--date=raw',
      '--format=%an%x00%ae%x00%ad%x00%P%x00%B',
      head,
    ],
    inside(cwd),
  );
  const [name = '', email = '', date = '', parents = '', body = ''] = shown.stdout.split('\0');
  if (trailers === '' || trailers.split('\n').every((line) => body.split('\n').includes(line))) return head;
  const message =
    body.trim() === ''
      ? options.message
      : (
          await git(
            [
              'interpret-trailers',
              '--if-exists=addIfDifferent',
              ...trailers.split('\n').flatMap((line) => ['--trailer', line]),
            ],
            { ...inside(cwd), input: `${body.trimEnd()}\n` },
          )
        ).stdout;
  const who = { ...identityEnvironment(options.identity), GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
  const commit = await gitLine(
    [
      ...COMMIT_CONFIG,
      'commit-tree',
      `${head}^{tree}`,
      ...parents.split(' ').flatMap((parent) => (parent === '' ? [] : ['-p', parent])),
      '-F',
      '-',
    ],
    { ...inside(cwd, { ...who, GIT_AUTHOR_DATE: date }), input: message },
  );
  await git(['update-ref', '-m', 'headway: trailers', 'HEAD', commit, head], inside(cwd));
  return commit;
}
