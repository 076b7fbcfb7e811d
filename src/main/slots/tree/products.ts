import { cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, moveToTrash } from '../../disk/trash.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';

/*
 * Installs may write ignored files outside the kept caches: generated clients, a workspace's `dist`. A reset removes
 * them and the next install is skipped, so a warm slot would lack what a fresh one has. They are kept aside and put back.
 */

const FILES_MAX = 5_000;
const BYTES_MAX = 100 * 1024 * 1024;

type Size = { files: number; bytes: number };

async function measure(path: string, size: Size): Promise<void> {
  const found = await lstat(path);
  size.files += 1;
  size.bytes += found.size;
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) {
    if (size.files > FILES_MAX || size.bytes > BYTES_MAX) return;
    await measure(join(path, name), size);
  }
}

const store = (place: SlotPlace): string => join(place.state, 'products');

const copy = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
};

/** Copies what an install made, relative to the slot; false where it is too much to keep. */
export async function saveProducts(place: SlotPlace, paths: readonly string[]): Promise<boolean> {
  await moveToTrash(store(place), place.trash);
  const size: Size = { files: 0, bytes: 0 };
  for (const path of paths) await measure(join(place.path, path), size);
  if (size.files > FILES_MAX || size.bytes > BYTES_MAX) return false;
  for (const path of paths) await copy(join(place.path, path), join(store(place), path));
  return true;
}

/** Puts saved products back where they are missing. */
export async function restoreProducts(place: SlotPlace, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await exists(join(place.path, path))) continue;
    if (parentsAreReal(place, path)) await copy(join(store(place), path), join(place.path, path));
  }
}
