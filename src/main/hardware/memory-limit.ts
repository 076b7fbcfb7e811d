import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A control group without a limit says `max`, or (version 1) a number beyond any machine's memory. */
const NO_LIMIT_BYTES = 2 ** 60;

/** Reads one limit file's text; undefined where it sets none. */
export function parseLimit(text: string): number | undefined {
  const value = Number(text.trim());
  return Number.isFinite(value) && value > 0 && value < NO_LIMIT_BYTES ? value : undefined;
}

/** The paths of this process's memory control groups, from its own up to the root. */
export function controlGroupFiles(procSelfCgroup: string): string[] {
  const files: string[] = [];
  for (const line of procSelfCgroup.split('\n')) {
    const [id, controllers, path] = line.split(':');
    if (path === undefined) continue;
    const unified = id === '0' && controllers === '';
    if (!unified && !controllers?.split(',').includes('memory')) continue;
    const root = unified ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
    const file = unified ? 'memory.max' : 'memory.limit_in_bytes';
    for (let folder = path; ; folder = dirname(folder)) {
      files.push(join(root, folder, file));
      if (folder === '/' || folder === '.') break;
    }
  }
  return files;
}

/** The smallest memory limit on the way up; undefined outside any limit, and elsewhere than on Linux. */
export async function memoryLimitBytes(): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const limits: number[] = [];
  for (const file of controlGroupFiles(own)) {
    const limit = parseLimit(await readFile(file, 'utf8').catch(() => ''));
    if (limit !== undefined) limits.push(limit);
  }
  return limits.length > 0 ? Math.min(...limits) : undefined;
}
