import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Answer, known, unknown } from './answer.ts';
import type { Exec } from './exec.ts';
import type { Store } from './facts.ts';

const windows = process.platform === 'win32';
const program = (name: string): string => (windows ? `${name}.cmd` : name);

/** The device of a path, or of what of it exists. */
async function deviceOf(path: string): Promise<number | undefined> {
  for (let part = path; ; part = dirname(part)) {
    try {
      return (await stat(part)).dev;
    } catch {
      if (dirname(part) === part) return undefined;
    }
  }
}

/**
 * Stores of the managers in use: of those whose lockfile the repository has, or of those that are installed. Asked for from the
 * place of the slots, since pnpm answers by volume.
 */
export async function findStores(
  root: string,
  lockfiles: readonly string[] | undefined,
  exec: Exec,
): Promise<Answer<readonly Store[]>> {
  const uses = (...names: string[]): boolean =>
    lockfiles === undefined || names.some((name) => lockfiles.includes(name));
  const device = await deviceOf(root);
  if (device === undefined) return unknown('the volume of the slots can not be told');
  const stores: Store[] = [];
  const add = async (manager: string, path: string): Promise<void> => {
    stores.push({ manager, path, sameVolume: (await deviceOf(path)) === device });
  };
  if (uses('pnpm-lock.yaml')) {
    const answer = await exec(program('pnpm'), ['store', 'path'], { cwd: root });
    const path = answer?.exit === 0 ? answer.stdout.trim().split(/\r?\n/).at(-1) : undefined;
    if (path) await add('pnpm', path);
    else if (lockfiles) return unknown('`pnpm store path` gives no answer');
  }
  if (uses('bun.lock', 'bun.lockb')) {
    const answer = await exec(windows ? 'bun.exe' : 'bun', ['--version'], { cwd: root });
    const path = process.env.BUN_INSTALL_CACHE_DIR ?? join(homedir(), '.bun', 'install', 'cache');
    if (answer?.exit === 0) await add('bun', path);
    else if (lockfiles) return unknown('bun is not on the PATH');
  }
  return known(stores);
}
