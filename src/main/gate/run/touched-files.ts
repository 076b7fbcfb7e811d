import { type BigIntStats, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gitList } from '../../git/git.ts';
import { inside } from '../../git/inside.ts';

/** Files looked at between two turns of the event loop. */
const BATCH = 512;

/** Everything that a change of a file can't leave as it was: a process may set times, but not this one. */
const mark = (found: BigIntStats | undefined): string =>
  found === undefined ? 'none' : `${found.ino} ${found.ctimeNs} ${found.size}`;

async function marks(cwd: string, tracked: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
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
 * Remembers the tracked files of a work tree. The answer tells which were touched since the last answer, also where they are the same
 * again.
 */
export async function watchTracked(cwd: string): Promise<() => Promise<string[]>> {
  const tracked = await gitList(['ls-files', '-z'], inside(cwd));
  let before = await marks(cwd, tracked);
  return async () => {
    const now = await marks(cwd, tracked);
    const touched = tracked.filter((path) => now.get(path) !== before.get(path));
    before = now;
    return touched.sort();
  };
}

/** Remembers what lies beside the tracked files. The answer tells what is new. */
export async function rememberOthers(cwd: string): Promise<() => Promise<string[]>> {
  const before = new Set(await others(cwd));
  return async () => (await others(cwd)).filter((path) => !before.has(path)).sort();
}
