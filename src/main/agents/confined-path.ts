import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';

/** Pure: why a path can't be one inside a directory; undefined where it can. */
export function pathProblem(path: string): string | undefined {
  if (path.trim() === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL';
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path) || path.startsWith('\\')) return 'is absolute';
  const parts = normalize(path.replaceAll('\\', '/')).split(/[\\/]/);
  if (parts[0] === '..') return 'leaves the directory';
  return undefined;
}

/**
 * The absolute path of `path` inside `dir`, links followed. Throws `not-allowed` where it would leave the directory, through
 * `..` or through a link. The file itself need not exist.
 */
export async function confinedPath(dir: string, path: string): Promise<string> {
  const problem = pathProblem(path);
  if (problem) throw new HeadwayError('not-allowed', `path ${JSON.stringify(path)} ${problem}`);
  const root = await realpath(dir);
  const target = join(root, path);
  const real = await realpathOfExisting(target);
  if (real !== root && !real.startsWith(root + sep)) {
    throw new HeadwayError('not-allowed', `path ${JSON.stringify(path)} leaves the directory through a link`);
  }
  return target;
}

async function realpathOfExisting(path: string): Promise<string> {
  for (let part = path; ; part = dirname(part)) {
    try {
      await lstat(part);
    } catch {
      if (dirname(part) === part) return part;
      continue;
    }
    try {
      return await realpath(part);
    } catch {
      // A link to nothing: writing through it would create its target, wherever that is.
      throw new HeadwayError('not-allowed', `path ${JSON.stringify(path)} is a link to nothing`);
    }
  }
}
