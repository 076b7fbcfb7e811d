import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../processes/environment.ts';
import { holdPorts } from '../processes/port-block.ts';
import { deleteTree } from '../slots/trash.ts';

/** What an attempt, a session or a gate run has for itself alone besides its slot: a temp directory and nine ports. */
export type Scratch = AsyncDisposable & {
  dir: string;
  /** Tells what it starts of them. Without `HEADWAY_PORT` where no ports were free. */
  env: Environment;
};

export async function openScratch(root: string, id: string): Promise<Scratch> {
  const dir = join(root, id);
  await mkdir(dir, { recursive: true });
  const ports = await holdPorts(id);
  return {
    dir,
    env: {
      TMPDIR: dir,
      TEMP: dir,
      TMP: dir,
      ...(ports ? { HEADWAY_PORT: `${ports.first}`, HEADWAY_LAST_PORT: `${ports.last}` } : {}),
    },
    async [Symbol.asyncDispose]() {
      ports?.release();
      await deleteTree(dir).catch(() => undefined); // it goes with its runner's other directories
    },
  };
}
