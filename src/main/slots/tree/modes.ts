import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { SlotPlace } from '../../paths/layout.ts';
import { directoryOf } from '../install/dependency-tree.ts';

/** Things between two turns of the event loop: each takes microseconds. */
const BATCH = 512;
const MODE_BITS = 0o7777;

/**
 * Gives tracked files and their directories the modes that a checkout gives. Git itself looks at the executable bit
 * alone, so that a file which a job made read-only, or open to all, would stay so for the next one. Paths are those of the
 * index, after the tree was restored: their parents are directories.
 */
export async function settleModes(place: SlotPlace, tracked: Iterable<string>): Promise<void> {
  if (process.platform === 'win32') return;
  const allowed = MODE_BITS & ~process.umask();
  const directories = new Set<string>(['']);
  let sinceTurn = 0;
  const settle = async (path: string): Promise<void> => {
    const full = join(place.path, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    // A link has no mode of its own, and to change it would change what it leads to.
    if (!found || !(found.isFile() || found.isDirectory())) return;
    const executable = found.isDirectory() || (found.mode & 0o100) !== 0;
    const wanted = (executable ? 0o777 : 0o666) & allowed;
    if ((found.mode & MODE_BITS) !== wanted) chmodSync(full, wanted);
    sinceTurn += 1;
    if (sinceTurn % BATCH === 0) await turn();
  };
  for (const path of tracked) {
    await settle(path);
    for (let at = directoryOf(path); !directories.has(at); at = directoryOf(at)) directories.add(at);
  }
  for (const directory of directories) await settle(directory);
}
