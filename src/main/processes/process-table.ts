import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Environment } from './environment.ts';

/** One row of the operating system's process table. `started` tells two processes with one id apart. */
export type ProcessRow = { pid: number; ppid: number; pgid: number; started: string };

async function readLinuxTable(): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = await readLinuxRow(pid);
    if (row) rows.push(row);
  }
  return rows;
}

async function readLinuxRow(pid: number): Promise<ProcessRow | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name is in brackets and may itself hold brackets and spaces: fields begin after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return { pid, ppid: Number(fields[1]), pgid: Number(fields[2]), started: fields[19] ?? '' };
  } catch {
    return undefined; // ended while we looked
  }
}

async function readPsTable(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(process.getBuiltinModule('node:child_process').execFile)(
    'ps',
    ['-axo', 'pid=,ppid=,pgid=,state=,lstart='],
    {
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const rows: ProcessRow[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (!match || match[4]?.startsWith('Z')) continue;
    rows.push({
      pid: Number(match[1]),
      ppid: Number(match[2]),
      pgid: Number(match[3]),
      started: match[5]?.trim() ?? '',
    });
  }
  return rows;
}

async function readWindowsTable(): Promise<ProcessRow[]> {
  const script =
    'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';
  const { stdout } = await promisify(process.getBuiltinModule('node:child_process').execFile)(
    'powershell.exe',
    ['-NoProfile', '-NonInteractive', '-Command', script],
    {
      windowsHide: true,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const rows: ProcessRow[] = [];
  for (const line of stdout.split(/\r?\n/)) {
    const match = /^(\d+) (\d+) (\d+)$/.exec(line.trim());
    if (match) rows.push({ pid: Number(match[1]), ppid: Number(match[2]), pgid: 0, started: match[3] ?? '' });
  }
  return rows;
}

export function readProcessTable(): Promise<ProcessRow[]> {
  if (process.platform === 'linux') return readLinuxTable();
  if (process.platform === 'win32') return readWindowsTable();
  return readPsTable();
}

/** The start mark of a live process; undefined where there is none of that id. */
export async function processStarted(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return (await readLinuxRow(pid))?.started;
  return (await readProcessTable()).find((row) => row.pid === pid)?.started;
}

/** Processes whose environment holds `NAME=value` exactly. Linux only; elsewhere empty (not readable). */
export const processesWithVariable = (name: string, value: string): Promise<number[]> =>
  processesWithVariables({ [name]: value });

/** The same for several variables, all of which it must hold. */
export async function processesWithVariables(variables: Readonly<Environment>): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const wanted = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const environ = await readFile(`/proc/${pid}/environ`, 'latin1');
      const held = environ.split('\0');
      if (wanted.every((each) => held.includes(each))) found.push(pid);
    } catch {
      // ended while we looked, or another user's
    }
  }
  return found;
}
