import { type BigIntStats, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gitList } from '../git/git.ts';
import { inside } from '../merge/inside.ts';

/** Files looked at between two turns of the event loop. */
const BATCH = 512;

/** Everything that a change of a file can't leave as it was: a process may set times, but not this one. */
const mark = (found: BigIntStats | undefined): string =>
  found === undefined ? 'none' : `${found.ino} ${found.ctimeNs} ${found.size}`;

async function marks(cwd: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const tracked = await gitList(['ls-files', '-z'], inside(cwd));
  for (const [index, path] of tracked.entries()) {
    if (index % BATCH === BATCH - 1) await turn();
    found.set(path, mark(lstatSync(join(cwd, path), { bigint: true, throwIfNoEntry: false })));
  }
  return found;
}

/** What git does not track, ignored or not; of a directory without a tracked file its name alone. */
async function others(cwd: string): Promise<string[]> {
  const rows = await gitList(
    [
      ...['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--ignored=matching', '--no-renames'],
      '--ignore-submodules=dirty',
    ],
    inside(cwd),
  );
  return rows.filter((row) => /^(\?\?|!!) /.test(row)).map((row) => row.slice(3).replace(/\/$/, ''));
}

/**
 * Remembers the files of a work tree. The answer tells which were written since: tracked ones that were touched at all, also
 * where they are the same again, and what is new beside them.
 */
export async function rememberFiles(cwd: string): Promise<() => Promise<string[]>> {
  const [tracked, beside] = [await marks(cwd), new Set(await others(cwd))];
  return async () => {
    const now = await marks(cwd);
    const touched = [...tracked].filter(([path, before]) => now.get(path) !== before).map(([path]) => path);
    return [...touched, ...(await others(cwd)).filter((path) => !beside.has(path))].sort();
  };
}
