import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moveToTrash } from '../../disk/trash.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';
import { dropInventory, type IsCache, restoreInventory, saveInventory } from '../tree/inventory.ts';
import { keepRule } from '../tree/kept-caches.ts';

/** What Headway writes down about an install, outside the slot. */
export type Installed = {
  key: string;
  fingerprint: string;
  /** Package directories, whose `node_modules` belong to the install. */
  packages: string[];
  /** Where it put packages: directories and files that a reset keeps. */
  places: string[];
  /** What it made elsewhere outside the kept caches; saved aside. */
  products: string[];
};

const installedFile = (place: SlotPlace): string => join(place.state, 'install.json');

export async function readInstalled(place: SlotPlace): Promise<Installed | undefined> {
  try {
    return JSON.parse(await readFile(installedFile(place), 'utf8')) as Installed;
  } catch {
    return undefined; // none, or cut short by a crash: install again
  }
}

const isCacheOf =
  (caches: readonly string[]): IsCache =>
  (path, kind) =>
    keepRule(caches, [])(path, kind) === 'keep';

/** Writes down an install that just ended well, and all that it put there. */
export async function writeInstalled(
  place: SlotPlace,
  installed: Installed,
  caches: readonly string[],
): Promise<void> {
  await saveInventory(place, installed.places, isCacheOf(caches));
  await writeFile(installedFile(place), JSON.stringify(installed));
}

export async function clearInstalled(place: SlotPlace): Promise<void> {
  await moveToTrash(installedFile(place), place.trash);
  await dropInventory(place);
}

/** Takes away all that managers installed. */
export async function dropModules(
  place: SlotPlace,
  installed: Partial<Pick<Installed, 'packages' | 'places'>> | undefined,
): Promise<void> {
  const modules = ['', ...(installed?.packages ?? [])].map((directory) =>
    directory === '' ? 'node_modules' : `${directory}/node_modules`,
  );
  for (const path of new Set([...modules, ...(installed?.places ?? [])])) {
    // A package directory that has become a link leads elsewhere.
    if (parentsAreReal(place, path)) await moveToTrash(join(place.path, path), place.trash);
  }
}

/**
 * Says what of the installed packages was changed, replaced or taken away since they were installed, also where it is the same again; undefined:
 * nothing, or nothing is known of an install. What was added goes. `mayWrite`: what steps declare to write.
 */
export async function installedChange(
  place: SlotPlace,
  caches: readonly string[],
  mayWrite: (path: string) => boolean,
): Promise<string | undefined> {
  const installed = await readInstalled(place);
  if (!installed) return undefined;
  const isCache = isCacheOf(caches);
  return restoreInventory(place, installed.places, (path, kind) => isCache(path, kind) || mayWrite(path));
}

/**
 * After a job: what it added to the installed packages goes. Where it changed one, or took one away, all of them go, and the
 * next install begins anew. Returns whether they are as they were installed.
 */
export async function settleInstalled(place: SlotPlace, caches: readonly string[]): Promise<boolean> {
  const installed = await readInstalled(place);
  if (installed && (await restoreInventory(place, installed.places, isCacheOf(caches))) === undefined) {
    return true;
  }
  await clearInstalled(place);
  await dropModules(place, installed);
  return false;
}
