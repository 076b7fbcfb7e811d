import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTree } from '../../disk/trash.ts';
import { makeOwnHome } from '../../own-home/own-home.ts';
import type { SlotUse } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { holdPorts } from '../../processes/port-block.ts';

/** What an attempt, a session or a gate has for itself alone besides its slot: a temp directory and nine ports; a gate also a home. */
export type Scratch = AsyncDisposable & {
  dir: string;
  /** Tells what it starts of them. Without `HEADWAY_PORT` where no ports were free. */
  env: Environment;
};

export async function openScratch(root: string, id: string, use: SlotUse = 'work'): Promise<Scratch> {
  const dir = join(root, id);
  await mkdir(dir, { recursive: true });
  const home = use === 'gate' ? await makeOwnHome(join(dir, 'home')) : {};
  const ports = await holdPorts(id);
  return {
    dir,
    env: {
      TMPDIR: dir,
      TEMP: dir,
      TMP: dir,
      ...home,
      ...(ports ? { HEADWAY_PORT: `${ports.first}`, HEADWAY_LAST_PORT: `${ports.last}` } : {}),
    },
    async [Symbol.asyncDispose]() {
      ports?.release();
      await deleteTree(dir).catch(() => undefined); // it goes with its runner's other directories
    },
  };
}
