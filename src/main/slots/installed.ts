import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentsAreReal, type SlotPlace } from './layout.ts';
import { moveToTrash } from './trash.ts';

/** What Headway writes down about an install, outside the slot. */
export type Installed = {
  key: string;
  fingerprint: string;
  /** Package directories, whose `node_modules` belong to the install. */
  packages: string[];
  /** What it made outside the kept caches; saved aside. */
  products: string[];
};

const installedFile = (place: SlotPlace): string => join(place.state, 'installed.json');

export async function readInstalled(place: SlotPlace): Promise<Installed | undefined> {
  try {
    return JSON.parse(await readFile(installedFile(place), 'utf8')) as Installed;
  } catch {
    return undefined; // none, or cut short by a crash: install again
  }
}

export const writeInstalled = (place: SlotPlace, installed: Installed): Promise<void> =>
  writeFile(installedFile(place), JSON.stringify(installed));

export async function clearInstalled(place: SlotPlace): Promise<void> {
  await moveToTrash(installedFile(place), place.trash);
}

/** Takes away all that managers installed. */
export async function dropModules(
  place: SlotPlace,
  installed: Pick<Installed, 'packages'> | undefined,
): Promise<void> {
  for (const directory of new Set(['', ...(installed?.packages ?? [])])) {
    const path = directory === '' ? 'node_modules' : `${directory}/node_modules`;
    // A package directory that has become a link leads elsewhere.
    if (parentsAreReal(place, path)) await moveToTrash(join(place.path, path), place.trash);
  }
}
