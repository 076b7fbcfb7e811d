import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ProcessRow, processesWithVariable, readProcessTable } from './process-table.ts';

/** Variable that every process tree of Headway carries, so that children which left the group are still found. */
export const TREE_VARIABLE = 'HEADWAY_TREE';

const TERM_GRACE_MS = 1_000;
const KILL_GRACE_MS = 2_000;
const POLL_MS = 20;

function descendants(rows: readonly ProcessRow[], root: number): Set<number> {
  const found = new Set<number>([root]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of rows) {
      if (!found.has(row.pid) && (found.has(row.ppid) || row.pgid === root)) {
        found.add(row.pid);
        grew = true;
      }
    }
  }
  return found;
}

async function members(root: number | undefined, tag: string | undefined): Promise<number[]> {
  const rows = await readProcessTable();
  const alive = new Set(rows.map((row) => row.pid));
  const found = root === undefined ? new Set<number>() : descendants(rows, root);
  if (tag !== undefined) for (const pid of await processesWithVariable(TREE_VARIABLE, tag)) found.add(pid);
  found.delete(process.pid);
  return [...found].filter((pid) => alive.has(pid));
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // already gone, or not ours: the final look says what is left
    }
  }
}

/**
 * Ends a whole process tree: the group, every descendant, and processes that carry the tree's tag but left both.
 * First politely, then by force. Returns the ids that could not be ended.
 */
export async function killTree(target: { pid?: number; tag?: string; graceMs?: number }): Promise<number[]> {
  if (process.platform === 'win32') {
    if (target.pid === undefined) return [];
    await promisify(process.getBuiltinModule('node:child_process').execFile)(
      'taskkill',
      ['/T', '/F', '/PID', String(target.pid)],
      {
        windowsHide: true,
      },
    ).catch(
      () => undefined, // exits non-zero where the process is already gone
    );
    const rows = await readProcessTable();
    return rows.some((row) => row.pid === target.pid) ? [target.pid] : [];
  }
  let left = await members(target.pid, target.tag);
  const ends: [NodeJS.Signals, number][] = [
    ['SIGTERM', target.graceMs ?? TERM_GRACE_MS],
    ['SIGKILL', KILL_GRACE_MS],
  ];
  for (const [signal, graceMs] of ends) {
    const deadlineAt = performance.now() + graceMs;
    while (left.length > 0) {
      signalAll(left, signal);
      // A stopped process does not act on SIGTERM before it is continued.
      if (signal === 'SIGTERM') signalAll(left, 'SIGCONT');
      await delay(POLL_MS);
      left = await members(target.pid, target.tag);
      if (performance.now() >= deadlineAt) break;
    }
  }
  return left;
}
