import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Faults } from './faults.ts';

const readOr = (read: () => string): string => {
  try {
    return read();
  } catch {
    return ''; // ended while we looked, or another user's
  }
};

/** Processes that work below `root`, or whose environment names it. Linux only. */
function processesOf(root: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const cwd = readOr(() => readlinkSync(`/proc/${pid}/cwd`));
      const environment = readOr(() => readFileSync(`/proc/${pid}/environ`, 'latin1'));
      return cwd.startsWith(root) || environment.includes(`=${root}/`);
    })
    .map(
      (pid) => `${pid}: ${readOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')}`,
    );
}

const isLeftover = (name: string): boolean =>
  /\.lock$|^incoming-|^tmp_(obj|pack|idx)_|\.tmp$|^gc\.pid$/.test(name) || /^mirror\.git\..+/.test(name);

function walk(dir: string, onEntry: (path: string, name: string) => void): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    onEntry(path, entry.name);
    if (entry.isDirectory()) walk(path, onEntry);
  }
}

/** After a round has ended in good order: nothing of it is left but slots at rest and what is kept on purpose. */
export function lookAtLeftovers(root: string, home: string, repo: string, faults: Faults): void {
  for (const found of processesOf(root)) faults.add('left behind', `process ${found}`);
  for (const dir of [join(repo, '.git'), join(home, 'slots')]) {
    if (!existsSync(dir)) continue;
    walk(dir, (path, name) => {
      if (isLeftover(name)) faults.add('left behind', path);
    });
  }
  for (const dir of [join(home, 'tmp'), join(root, 'tmp')]) {
    for (const name of existsSync(dir) ? readdirSync(dir) : []) faults.add('left behind', join(dir, name));
  }
  for (const name of readdirSync(home)) {
    if (/\.db-journal$|\.tmp$/.test(name)) faults.add('left behind', join(home, name));
  }
}
