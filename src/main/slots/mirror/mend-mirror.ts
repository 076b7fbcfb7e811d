import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockState, processesIn } from '../pool/leftovers.ts';

/** What git says where it stumbles over what another git does just now, or left half-done. */
const HALF_DONE =
  /cannot lock ref|\.lock': File exists|unable to update local ref|reference broken|bad (ref|object) refs\/|shallow file has changed/i;

export const looksHalfDone = (message: string): boolean => HALF_DONE.test(message);

/** Refs that the next fetch brings anew. Those of Headway's own hold work and are left to a person. */
const FETCHED = /^refs\/(heads|remotes)\//;
const OBJECT_ID_LINE = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;

/**
 * Takes away what a git that was killed left in a mirror: lock files that nobody holds, refs that are no commit id, and
 * packs that were never finished. Does nothing while any process works in the mirror. Returns what was removed, relative.
 */
export async function mendMirror(mirror: string, nowMs: number): Promise<string[]> {
  const removed: string[] = [];
  if (processesIn(mirror).length > 0) return removed;
  const remove = async (path: string): Promise<void> => {
    await rm(join(mirror, path), { force: true });
    removed.push(path);
  };
  for (const path of await filesBelow(mirror, ['', 'refs'])) {
    const file = join(mirror, path);
    if (path.endsWith('.lock')) {
      if ((await lockState(file, nowMs)).kind === 'stale') await remove(path);
    } else if (FETCHED.test(path) && !OBJECT_ID_LINE.test(await readFile(file, 'latin1').catch(() => ''))) {
      await remove(path);
    }
  }
  return [...removed, ...(await sweepUnfinished(mirror))];
}

/**
 * Takes away objects and packs that a git which is gone had begun: nothing else does, since a mirror is never collected. Those
 * are seen first, and then that nobody works in the mirror: what is begun later is not among them. Where processes cannot be
 * looked at, nothing is removed.
 */
export async function sweepUnfinished(mirror: string): Promise<string[]> {
  const namesIn = (path: string): Promise<string[]> => readdir(join(mirror, path)).catch(() => []);
  const unfinished: string[] = [];
  for (const directory of await namesIn('objects')) {
    for (const name of await namesIn(`objects/${directory}`)) {
      if (/^tmp_(obj|pack|idx|rev)_/.test(name)) unfinished.push(`objects/${directory}/${name}`);
    }
  }
  if (process.platform !== 'linux' || unfinished.length === 0 || processesIn(mirror).length > 0) return [];
  for (const path of unfinished) await rm(join(mirror, path), { force: true });
  return unfinished;
}

/** Files directly in the mirror (for ``) or anywhere below the named directories. */
async function filesBelow(mirror: string, directories: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const directory of directories) {
    for (const name of await readdir(join(mirror, directory)).catch(() => [] as string[])) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const entry = await lstat(join(mirror, path)).catch(() => undefined);
      if (entry?.isFile()) found.push(path);
      else if (entry?.isDirectory() && directory !== '') found.push(...(await filesBelow(mirror, [path])));
    }
  }
  return found;
}
