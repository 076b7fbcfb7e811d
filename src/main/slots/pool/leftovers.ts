import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { SlotPlace } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { killTree } from '../../processes/kill-tree.ts';

/** Variable that marks everything started for a slot; see `ClaimedSlot.env`. */
const SLOT_VARIABLE = 'HEADWAY_SLOT';

/** What everything that runs in a slot gets: the mark, and a stop for git on its way up where `.git` is gone. */
export const slotEnvironment = (place: SlotPlace): Environment => ({
  [SLOT_VARIABLE]: place.path,
  GIT_CEILING_DIRECTORIES: dirname(place.path),
});

/** Process ids in /proc; none where there is no /proc. */
function ids(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && pid !== process.ppid);
}

function readOr(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // ended while we looked, or another user's
  }
}

/**
 * Processes that work in the directory. /proc is memory, so reading it synchronously is faster than a thread for each
 * of some hundred entries. Elsewhere than on Linux: empty.
 */
export function processesIn(path: string): number[] {
  const inside = `${path}${sep}`;
  return ids().filter((pid) => {
    const cwd = readOr(() => readlinkSync(`/proc/${pid}/cwd`));
    return cwd === path || cwd.startsWith(inside) || cwd === `${path} (deleted)`;
  });
}

/** Processes that carry the slot's mark, wherever they went. */
function processesOf(path: string): number[] {
  const mark = Buffer.from(`${SLOT_VARIABLE}=${path}\0`);
  return ids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`).includes(mark);
    } catch {
      return false; // ended while we looked, or another user's
    }
  });
}

/** Ends what still runs in a slot; returns the ids that could not be ended. */
export async function endLeftovers(path: string): Promise<number[]> {
  // What was ended may have started another meanwhile, so look again until nothing is found.
  for (let round = 0; round < 3; round += 1) {
    const found = [...new Set([...processesIn(path), ...processesOf(path)])];
    if (found.length === 0) return [];
    await Promise.all(found.map((pid) => killTree({ pid })));
  }
  return processesIn(path);
}

export type LockState =
  | { kind: 'none' }
  | { kind: 'stale' }
  | { kind: 'live'; pid: number }
  | { kind: 'unknown' };

/** A lock younger than this may belong to a process that we can't see; git holds it for seconds at most. */
const LOCK_STALE_MS = 10 * 60 * 1000;

/** Who holds a lock file. Where open files can't be listed, a young lock is `unknown`. */
export async function lockState(lockFile: string, nowMs: number): Promise<LockState> {
  const found = await lstat(lockFile).catch(() => undefined);
  if (!found) return { kind: 'none' };
  if (process.platform !== 'linux') {
    return nowMs - found.mtimeMs > LOCK_STALE_MS ? { kind: 'stale' } : { kind: 'unknown' };
  }
  for (const pid of ids()) {
    let names: string[];
    try {
      names = readdirSync(`/proc/${pid}/fd`);
    } catch {
      continue; // ended, or another user's: such a process can't have made our lock
    }
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      if (target === lockFile) return { kind: 'live', pid };
    }
  }
  return { kind: 'stale' };
}
