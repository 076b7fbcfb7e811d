import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { configRemedy } from '../git/config-remedy.ts';
import { type GitOutput, git } from '../git/git.ts';

/** A repository on this machine. `id` is the same for every path that leads to the same git common directory. */
export type RepositoryPlace = {
  /** Real path of the top of the work tree. */
  path: string;
  /** Real path of the git common directory. */
  gitDir: string;
  name: string;
  id: string;
  /** What a person should know about the path that was given. */
  notes: string[];
};

const refused = (path: string, message: string): HeadwayError =>
  new HeadwayError('not-a-repository', `${path}: ${message}`, { data: { path } });

const badPath = (path: string, message: string): HeadwayError =>
  new HeadwayError('bad-input', `${path}: ${message}`, { data: { path } });

/** Turns git's own refusal to look at a directory into an error that names the way out. */
export function explainGitRefusal(path: string, stderr: string): HeadwayError {
  if (/dubious ownership|unsafe repository/.test(stderr)) {
    const owned = /repository at '([^\n]*)'/.exec(stderr)?.[1] ?? path;
    return refused(
      path,
      `git refuses it because another user owns it; if you trust it: git config --global --add safe.directory '${owned}'`,
    );
  }
  if (/permission denied/i.test(stderr)) {
    return refused(path, 'git may not read it (permission denied); give your user the right to read it');
  }
  if (/not a git repository/i.test(stderr)) {
    return refused(path, 'is not in a git repository; run git init and commit there, or give another path');
  }
  const remedy = configRemedy(stderr, path);
  const why = stderr.trim().split('\n')[0] ?? 'no reason given';
  return refused(path, `git can't open it: ${why}${remedy === undefined ? '' : `; ${remedy}`}`);
}

async function existingDirectory(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) {
      throw badPath(path, 'is a file, not a directory; give the directory of a repository');
    }
    return real;
  } catch (thrown) {
    if (thrown instanceof HeadwayError) throw thrown;
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw badPath(path, 'does not exist; check the path');
    if (code === 'ENOTDIR') throw badPath(path, 'leads through a file; check the path');
    if (code === 'EACCES') throw badPath(path, 'may not be read; give your user the right to read it');
    if (code === 'ELOOP') throw badPath(path, 'is a symbolic link that leads to itself');
    throw badPath(path, toError(thrown).message);
  }
}

/** One path as git prints it: a single line break at the end is git's, everything else belongs to the path. */
const pathLine = (output: GitOutput): string => output.stdout.replace(/\r?\n$/, '');

/**
 * Finds the repository that a path lies in; `~` is the home directory, as no shell has seen what is typed into a window. Errors: `bad-input` (no such directory), `not-a-repository` (no git work
 * tree, bare, without commits, or git refuses it); each names the path and the way out.
 */
export async function identify(given: string): Promise<RepositoryPlace> {
  const path = /^~(?=$|[/\\])/.test(given) ? given.replace('~', homedir()) : given;
  if (path === '' || path.includes('\0')) {
    throw new HeadwayError('bad-input', 'the path of the repository is empty or holds a NUL character');
  }
  const asked = await existingDirectory(resolve(path));
  const ask = (...args: string[]): Promise<GitOutput> =>
    git(['rev-parse', ...args], { cwd: asked, ok: [0, 1, 128] });

  // The path comes last, and the other path apart: either may hold a line break.
  const common = await ask('--is-bare-repository', '--is-inside-work-tree', '--git-common-dir');
  if (common.exit !== 0) throw explainGitRefusal(path, common.stderr);
  const [, bare, inside, named = ''] = /^(\w+)\r?\n(\w+)\r?\n([\s\S]*)$/.exec(pathLine(common)) ?? [];
  if (bare === 'true') {
    throw refused(path, 'is a bare repository without a work tree; clone it and give the clone');
  }
  if (inside !== 'true') {
    throw refused(path, "is inside git's own directory; give the work tree beside it");
  }
  const top = await ask('--show-toplevel');
  if (top.exit !== 0) throw explainGitRefusal(path, top.stderr);

  const gitDir = await realpath(isAbsolute(named) ? named : resolve(asked, named));
  const real = await realpath(pathLine(top));
  const commits = await git(['for-each-ref', '--count=1', 'refs/heads'], { cwd: real });
  if (commits.stdout === '' && (await ask('--verify', '--quiet', 'HEAD^{commit}')).exit !== 0) {
    throw refused(path, 'has no commits yet; commit something first');
  }
  return {
    path: real,
    gitDir,
    name: nameOf(real) || basename(dirname(gitDir)) || 'repository',
    id: repositoryId(gitDir),
    notes: asked === real ? [] : [`${path} lies inside ${real}; the whole repository is used`],
  };
}

/** A directory that is only called `repository` is known by the one that it lies in. */
const nameOf = (path: string): string =>
  basename(path) === 'repository' ? basename(dirname(path)) || 'repository' : basename(path);

const repositoryId = (gitDir: string): string =>
  createHash('sha256').update(gitDir).digest('hex').slice(0, 12);
