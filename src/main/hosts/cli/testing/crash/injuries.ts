import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { fillDisk, freeDisk } from '../../../../testing/small-disk.ts';
import type { Driven } from './driven.ts';
import type { Random } from './kill-plan.ts';

/** What is done to a run at a point of it. */
export const INJURIES = ['killed', 'git-killed', 'database-held', 'disk-full', 'suspended'] as const;
export type Injury = (typeof INJURIES)[number];

/** The longest that a disk stays full or a database held. */
const HELD_MS = 2_500;
const MOST_GITS = 4;
const LOOK_FOR_GIT_MS = 1_500;
const BETWEEN_GITS_MS = 400;

/** Holds the database's write lock for a while, as another program may. */
export async function holdDatabase(file: string, random: Random): Promise<void> {
  const db = new Database(file, { timeout: 10_000, fileMustExist: true });
  try {
    db.exec('BEGIN IMMEDIATE');
    await delay(random() * HELD_MS);
    db.exec('ROLLBACK');
  } finally {
    db.close();
  }
}

/** Leaves no byte free on the disk of `dir` for a while. */
export async function holdDiskFull(dir: string, random: Random): Promise<void> {
  fillDisk(process.pid, dir);
  try {
    await delay(random() * HELD_MS);
  } finally {
    freeDisk(process.pid, dir);
  }
}

/** Kills some of the gits that the run starts, as they come. Returns how many. */
export async function killGits(running: Driven, random: Random): Promise<number> {
  const wanted = 1 + Math.floor(random() * MOST_GITS);
  let killed = 0;
  while (killed < wanted && running.child.exitCode === null) {
    const untilMs = performance.now() + LOOK_FOR_GIT_MS;
    let found: number | undefined;
    while (found === undefined && performance.now() < untilMs && running.child.exitCode === null) {
      const gits = gitsBelow(running.child.pid ?? 0);
      found = gits[Math.floor(random() * gits.length)];
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (found === undefined) return killed;
    try {
      process.kill(found, 'SIGKILL');
      killed += 1;
    } catch {
      // ended just now
    }
    await delay(random() * BETWEEN_GITS_MS);
  }
  return killed;
}

/** Git processes among the descendants of a process. Read synchronously: a git lives for some milliseconds only. */
function gitsBelow(root: number): number[] {
  const rows = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid, ppid: Number(ppid), git: / \(git\b/.test(stat) && state !== 'Z' }];
    } catch {
      return []; // ended while we looked
    }
  });
  const below = new Set([root]);
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const row of rows) if (below.has(row.ppid)) below.add(row.pid);
  }
  return rows.flatMap(({ pid, git }) => (git && below.has(pid) ? pid : []));
}
