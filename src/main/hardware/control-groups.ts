import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/*
 * What a container or a unit may use of the machine, on Linux. The limit may sit on any control group on the way up, and the
 * smallest one counts.
 */

/** A control group without a limit says `max`, or (version 1) a number beyond any machine's memory. */
const NO_LIMIT_BYTES = 2 ** 60;

/** Reads one limit file's text; undefined where it sets none. */
export function parseLimit(text: string): number | undefined {
  const value = Number(text.trim());
  return Number.isFinite(value) && value > 0 && value < NO_LIMIT_BYTES ? value : undefined;
}

/** Cores that `150000 100000` (quota and period) allows; undefined where it sets no limit. */
export function parseCores(text: string): number | undefined {
  const [quota = Number.NaN, period = Number.NaN] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? Math.round((100 * quota) / period) / 100 : undefined;
}

/** Where the control groups of this process lie, from its own up to the root. `unified`: version 2. */
export function controlGroups(
  procSelfCgroup: string,
  controller: 'memory' | 'cpu',
): { directory: string; unified: boolean }[] {
  const groups: { directory: string; unified: boolean }[] = [];
  for (const line of procSelfCgroup.split('\n')) {
    const [id, controllers, path] = line.split(':');
    if (path === undefined) continue;
    const unified = id === '0' && controllers === '';
    if (!unified && !controllers?.split(',').includes(controller)) continue;
    const root = unified ? '/sys/fs/cgroup' : `/sys/fs/cgroup/${controller}`;
    for (let folder = path; ; folder = dirname(folder)) {
      groups.push({ directory: folder === '/' ? root : join(root, folder), unified });
      if (folder === '/' || folder === '.') break;
    }
  }
  return groups;
}

type Read = (file: string) => Promise<string>;

const readText: Read = (file) => readFile(file, 'utf8').catch(() => '');

const ownGroups = async (
  controller: 'memory' | 'cpu',
  read: Read,
): Promise<{ directory: string; unified: boolean }[]> =>
  controlGroups(await read('/proc/self/cgroup'), controller);

/** The smallest memory limit on the way up; undefined outside any limit, and elsewhere than on Linux. */
export async function memoryLimitBytes(read = readText): Promise<number | undefined> {
  const limits: number[] = [];
  for (const { directory, unified } of await ownGroups('memory', read)) {
    const limit = parseLimit(await read(join(directory, unified ? 'memory.max' : 'memory.limit_in_bytes')));
    if (limit !== undefined) limits.push(limit);
  }
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/** `usage`: the file that counts what all in the limited group have used. */
export type CpuLimit = { cores: number; usage: string | undefined };

/** The smallest limit of processor time on the way up; undefined as for memory. */
export async function cpuLimit(read = readText): Promise<CpuLimit | undefined> {
  let smallest: CpuLimit | undefined;
  for (const { directory, unified } of await ownGroups('cpu', read)) {
    const text = unified
      ? await read(join(directory, 'cpu.max'))
      : `${await read(join(directory, 'cpu.cfs_quota_us'))} ${await read(join(directory, 'cpu.cfs_period_us'))}`;
    const cores = parseCores(text);
    if (cores === undefined || cores >= (smallest?.cores ?? Number.POSITIVE_INFINITY)) continue;
    smallest = { cores, usage: unified ? join(directory, 'cpu.stat') : undefined };
  }
  return smallest;
}

/** Microseconds of processor time that `cpu.stat` counts. */
export async function usedMicroseconds(file: string, read = readText): Promise<number | undefined> {
  const found = /^usage_usec (\d+)$/m.exec(await read(file))?.[1];
  return found === undefined ? undefined : Number(found);
}
