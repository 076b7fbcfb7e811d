import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import { nearestNames } from '../../shared/nearest-names.ts';
import { formatMoment } from '../../shared/time.ts';
import { git, gitLine } from '../git/git.ts';

const HEADS = 'refs/heads/';

/** Local branches by name, in git's order. */
export async function listBranches(path: string): Promise<string[]> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', HEADS], { cwd: path });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith(HEADS))
    .map((line) => line.slice(HEADS.length));
}

async function missing(path: string, wanted: string, branches: readonly string[]): Promise<HeadwayError> {
  const near = nearestNames(wanted, branches);
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', 'refs/remotes'], { cwd: path });
  const remote = stdout
    .split('\n')
    .map((line) => line.slice('refs/remotes/'.length))
    .find((name) => name === wanted || name.slice(name.indexOf('/') + 1) === wanted);
  const out =
    remote !== undefined
      ? `it exists as ${remote} only; make it with: git branch ${remote.slice(remote.indexOf('/') + 1)} ${remote}`
      : near.length > 0
        ? `did you mean ${near.join(', ')}?`
        : `the branches are ${branches.slice(0, 8).join(', ') || 'none'}`;
  return new HeadwayError('bad-input', `${path} has no branch ${wanted} (--base); ${out}`, {
    data: { base: wanted, near },
  });
}

/**
 * The branch that jobs start from and land on: the wanted one, else the one checked out, else (detached HEAD, or a
 * branch without commits) init.defaultBranch, main, master or the only one. Error `bad-input` names --base.
 */
export async function chooseBase(repository: { path: string }, wanted?: string): Promise<string> {
  const cwd = repository.path;
  const branches = await listBranches(cwd);
  if (wanted !== undefined) {
    const name = wanted.startsWith(HEADS) ? wanted.slice(HEADS.length) : wanted;
    if (branches.includes(name)) return name;
    throw await missing(cwd, name, branches);
  }
  const head = await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd, ok: [0, 1, 128] });
  const current = head.exit === 0 ? head.stdout.trim().slice(HEADS.length) : undefined;
  if (current !== undefined && branches.includes(current)) return current;
  const configured = await git(['config', '--get', 'init.defaultBranch'], { cwd, ok: [0, 1] });
  const likely = [configured.stdout.trim(), 'main', 'master'].find((name) => branches.includes(name));
  if (likely !== undefined) return likely;
  const [only, second] = branches;
  if (only !== undefined && second === undefined) return only;
  if (only === undefined) {
    throw new HeadwayError(
      'bad-input',
      `${cwd}: no branch is checked out (detached HEAD) and it has none; make one there with: git switch -c main`,
      { data: { branches } },
    );
  }
  const state =
    current === undefined ? 'no branch is checked out (detached HEAD)' : `${current} has no commits`;
  throw new HeadwayError(
    'bad-input',
    `${cwd}: ${state} and there is no main or master; say which branch with --base (${branches.slice(0, 8).join(', ')})`,
    { data: { branches } },
  );
}

/**
 * Says where the clone itself knows that the base is behind the branch it follows. Jobs start from the clone's own branch as it
 * is: Headway never fetches from a remote, so nobody is asked and nothing can hang.
 */
export async function staleBase(path: string, base: string): Promise<string | undefined> {
  const { stdout } = await git(
    ['for-each-ref', '--format=%(upstream:short) %(upstream:track,nobracket)', `${HEADS}${base}`],
    { cwd: path },
  );
  const [, upstream, behind] = /^(\S+) .*\bbehind (\d+)/.exec(stdout) ?? [];
  if (upstream === undefined) return undefined;
  const fetched = await gitLine(['rev-parse', '--git-path', 'FETCH_HEAD'], { cwd: path })
    .then((file) => stat(resolve(path, file)))
    .then(({ mtimeMs }) => `, as of the last fetch (${formatMoment(mtimeMs)})`)
    .catch(() => ''); // cloned, and never fetched since
  return `${base} is ${behind} commit${behind === '1' ? '' : 's'} behind ${upstream}${fetched}: jobs start from ${base} as it is`;
}
