import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/*
 * Removal that never crosses a link. A thing is renamed into the trash of the same volume first (fast, and atomic for
 * whoever looks at the slot), then taken apart there: a link is unlinked, never entered, also where it is the top.
 */

const code = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException).code;
const denied = (thrown: unknown): boolean => ['EACCES', 'EPERM'].includes(code(thrown) ?? '');

/** Makes a directory ours to change; links are left alone, since chmod would follow them. */
async function open(directory: string): Promise<void> {
  if ((await lstat(directory)).isDirectory()) await chmod(directory, 0o700);
}

/** Moves a file, directory or link into the trash; false where it does not exist. Throws where it can't be moved. */
export async function moveToTrash(path: string, trash: string): Promise<boolean> {
  const target = join(trash, randomUUID());
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(path, target);
      return true;
    } catch (thrown) {
      if (code(thrown) === 'ENOENT') {
        if (attempt > 1 || (await exists(trash))) return false;
        await mkdir(trash, { recursive: true });
      } else if (denied(thrown) && attempt < 2) {
        // A read-only directory can't be moved elsewhere, and nothing leaves a read-only parent.
        await open(dirname(path));
        await open(path).catch(() => undefined); // a file or link: its own mode does not matter
      } else throw thrown;
    }
  }
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Deletes a tree without following a link. Missing is fine. */
export async function deleteTree(path: string): Promise<void> {
  let directory: boolean;
  try {
    directory = (await lstat(path)).isDirectory();
  } catch (thrown) {
    if (code(thrown) === 'ENOENT') return;
    throw thrown;
  }
  if (!directory) return remove(path);
  await deleteDirectory(path);
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (code(thrown) === 'ENOENT') return;
    // Windows: a junction is a link to a directory; rmdir removes the link alone.
    if (process.platform === 'win32') return rmdir(path);
    throw thrown;
  }
}

async function deleteDirectory(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(async (thrown: unknown) => {
    if (!denied(thrown)) throw thrown;
    await open(path);
    return readdir(path, { withFileTypes: true });
  });
  if (entries.length > 0 && process.platform !== 'win32') {
    // Entries can't leave a directory that its owner may not write.
    const mode = (await lstat(path)).mode;
    if ((mode & 0o300) !== 0o300) await open(path);
  }
  const directories: string[] = [];
  const files: Promise<void>[] = [];
  for (const entry of entries) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) directories.push(child);
    else files.push(remove(child));
  }
  await Promise.all(files);
  for (const child of directories) await deleteDirectory(child);
  await rmdir(path).catch((thrown: unknown) => {
    if (code(thrown) !== 'ENOENT') throw thrown;
  });
}

/** Empties a trash directory as far as it goes; what stays is tried again next time. */
export async function emptyTrash(trash: string): Promise<void> {
  const names = await readdir(trash).catch(() => [] as string[]);
  for (const name of names) {
    await deleteTree(join(trash, name)).catch(() => undefined); // held open or denied: the next round tries again
  }
}
