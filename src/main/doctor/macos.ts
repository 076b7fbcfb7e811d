import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { known, unknown } from './answer.ts';
import type { Exec } from './exec.ts';
import type { Facts } from './facts.ts';
import { parseMacMount, parseMdutil, parseTmutil } from './parse-posix.ts';

/** What only macOS is asked. `tmutil` may take ten seconds where a backup runs. */
export async function collectMacos(root: string, exec: Exec): Promise<Pick<Facts, 'fileSystem' | 'macos'>> {
  const [mounts, spotlight, backup] = await Promise.all([
    exec('/sbin/mount', []),
    exec('/usr/bin/mdutil', ['-s', root]),
    exec('/usr/bin/tmutil', ['isexcluded', root], { timeoutMs: 30_000 }),
  ]);
  const fileSystem = mounts && parseMacMount(mounts.stdout, root);
  const indexing = spotlight && parseMdutil(spotlight.stdout);
  const backedUp = backup && parseTmutil(backup.stdout);
  return {
    fileSystem: fileSystem ? known(fileSystem) : unknown('`mount` does not tell'),
    macos: {
      indexing: indexing === undefined ? unknown('`mdutil -s` does not tell') : known(indexing),
      marked: await isMarked(root),
      backedUp: backedUp === undefined ? unknown('`tmutil isexcluded` does not tell') : known(backedUp),
    },
  };
}

/** The marker in the directory or above it, or a name that ends in `.noindex`. */
async function isMarked(root: string): Promise<boolean> {
  for (let part = root; dirname(part) !== part; part = dirname(part)) {
    if (part.endsWith('.noindex')) return true;
    if (await exists(join(part, '.metadata_never_index'))) return true;
  }
  return false;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
