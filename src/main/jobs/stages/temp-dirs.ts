import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTree } from '../../disk/trash.ts';

/** Short, because sockets below a temp directory must fit into about a hundred characters. */
const nameOf = (runnerId: string): string => runnerId.slice(0, 8);

/** Where a runner's attempts and sessions get their temp directories: its name says whose they are after a crash. */
export const tempDirOf = (root: string, runnerId: string): string => join(root, nameOf(runnerId));

/** Removes a runner's temp directories, without following a link. What cannot be removed is left for the next sweep. */
export async function removeTempDir(root: string, runnerId: string): Promise<void> {
  await deleteTree(tempDirOf(root, runnerId)).catch(() => undefined);
}

/**
 * Removes what belongs to none of the runners. They are asked for after the directories were seen: one that starts meanwhile is
 * registered before it makes its own.
 */
export async function sweepTempDirs(
  root: string,
  runnerIds: () => Promise<readonly string[]>,
): Promise<void> {
  const names = await readdir(root).catch(() => [] as string[]);
  const known = new Set((await runnerIds()).map(nameOf));
  for (const name of names) if (!known.has(name)) await deleteTree(join(root, name)).catch(() => undefined);
}
