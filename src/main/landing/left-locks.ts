import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { sep } from 'node:path';
import { gitPaths } from '../git/inside.ts';
import { lockState } from '../slots/pool/leftovers.ts';

/** Lock files that moving a branch and its checkout may leave in the user's repository when a git of ours is killed. */
const lockFiles = (path: string, base: string): Promise<string[]> =>
  gitPaths(path, ['index.lock', 'HEAD.lock', `refs/heads/${base}.lock`, 'packed-refs.lock']);

async function standing(files: readonly string[]): Promise<string[]> {
  const there = await Promise.all(
    files.map((file) =>
      lstat(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return files.filter((_, index) => there[index]);
}

/**
 * Knows the locks that stand in a repository now. Asked again, it takes away those that came since, where nobody holds
 * them and no git works there: then a git that Headway had started was killed. Returns what was removed. Where processes
 * cannot be looked at, nothing is.
 */
export async function watchLocks(path: string, base: string): Promise<() => Promise<string[]>> {
  if (process.platform !== 'linux') return async () => [];
  const files = await lockFiles(path, base);
  const before = await standing(files);
  return async () => {
    const removed: string[] = [];
    for (const file of await standing(files)) {
      if (before.includes(file) || gitWorksIn(path)) continue;
      if ((await lockState(file, Date.now())).kind !== 'stale') continue;
      await rm(file, { force: true });
      removed.push(file);
    }
    return removed;
  };
}

/** A git waits with a lock that it has closed while its editor is open: its directory tells. */
function gitWorksIn(path: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      if (!/^git/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'))) return false;
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      return cwd === path || cwd.startsWith(`${path}${sep}`);
    } catch {
      return false; // no process, ended while we looked, or another user's
    }
  });
}
