import { lstatSync, readdirSync } from 'node:fs';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { moveToTrash } from '../../disk/trash.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';
import { type ChangedSince, changedSince } from './changed-since.ts';

/*
 * What an install put on the disk, written down outside the slot when it had ended. Afterwards everything younger is a
 * job's doing: a job can forge the time at which a file was modified, but not the one at which its inode changed.
 */

/** Directory → its own inode and mode (behind a dot), and what it holds (a letter for the kind, and the name). */
type Inventory = { [directory: string]: string[] };

/** True for what is kept between jobs whatever they do to it. */
export type IsCache = (path: string, kind: 'file' | 'directory') => boolean;

const inventoryFile = (place: SlotPlace): string => join(place.state, 'inventory.json');
/** Directories that are read between two turns of the event loop. */
const BATCH = 64;
/** More changes than these are not looked through: installing again takes less. */
const CHANGES_MAX = 20_000;
const TICK_MS = 2;
const LONGEST_TICK_MS = 2_500;
/** A server's clock may be ahead of ours by so much. */
const CLOCK_SKEW_MS = 60_000;

type Kind = 'd' | 'f' | 'l' | 'o';
type Entry = { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean };
const kindOf = (entry: Entry): Kind =>
  entry.isDirectory() ? 'd' : entry.isFile() ? 'f' : entry.isSymbolicLink() ? 'l' : 'o';

/** As it stands on the disk now; undefined: it is no directory, or one that can't be read. */
function listing(place: SlotPlace, directory: string, isCache: IsCache): string[] | undefined {
  const path = join(place.path, directory);
  try {
    const self = lstatSync(path);
    if (!self.isDirectory()) return undefined;
    const names: string[] = [];
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const kind = kindOf(entry);
      if (isCache(`${directory}/${entry.name}`, kind === 'd' ? 'directory' : 'file')) continue;
      names.push(`${kind}${entry.name}`);
    }
    return [`.${self.ino} ${self.mode}`, ...names.sort()];
  } catch {
    return undefined;
  }
}

/**
 * Writes down what lies under `roots` (files or directories, relative to the slot). To be called when nothing works there any more;
 * what was made before that moment counts as the install's.
 */
export async function saveInventory(
  place: SlotPlace,
  roots: readonly string[],
  isCache: IsCache,
): Promise<void> {
  const inventory: Inventory = {};
  let read = 0;
  const visit = async (directory: string): Promise<void> => {
    const names = listing(place, directory, isCache);
    if (!names) return;
    inventory[directory] = names;
    read += 1;
    if (read % BATCH === 0) await turn();
    for (const name of names) if (name.startsWith('d')) await visit(`${directory}/${name.slice(1)}`);
  };
  for (const root of roots) await visit(root);
  // The time of the file is the moment that later changes are measured by; a rename leaves it as it is.
  const next = `${inventoryFile(place)}.next`;
  await writeFile(next, JSON.stringify(inventory));
  await rename(next, inventoryFile(place));
  await waitForTick(next, lstatSync(inventoryFile(place)).mtimeMs);
}

/**
 * The clock of a file system ticks every few milliseconds, or once a second. What is written in the tick of the inventory itself
 * would not be younger, so nobody gets to write before the next one.
 */
async function waitForTick(probe: string, sinceMs: number): Promise<void> {
  const from = performance.now();
  do {
    await writeFile(probe, '');
    if (lstatSync(probe).ctimeMs > sinceMs) break;
    await delay(TICK_MS);
  } while (performance.now() - from < LONGEST_TICK_MS);
  await unlink(probe);
}

export async function dropInventory(place: SlotPlace): Promise<void> {
  await moveToTrash(inventoryFile(place), place.trash);
}

/**
 * Takes away what was added under `roots` since the inventory was written. Returns why what the install put there is not what it
 * was; undefined: it is, to the last file.
 */
export async function restoreInventory(
  place: SlotPlace,
  roots: readonly string[],
  isCache: IsCache,
  changed: ChangedSince = changedSince,
): Promise<string | undefined> {
  const stamp = lstatSync(inventoryFile(place), { throwIfNoEntry: false });
  if (!stamp) return 'nothing is known of the install';
  if (stamp.mtimeMs > Date.now() + CLOCK_SKEW_MS) return 'the clock was set back since the install';
  for (const root of roots) {
    const there = lstatSync(join(place.path, root), { throwIfNoEntry: false });
    if (!there || !parentsAreReal(place, root)) return `${root} is not where it was`;
  }
  const paths = await changed(place.path, roots, inventoryFile(place), CHANGES_MAX);
  if (!paths) return 'too much of it has changed, or it can not be read';
  if (paths.length === 0) return undefined;
  const inventory = JSON.parse(await readFile(inventoryFile(place), 'utf8')) as Inventory;
  return judge(place, { inventory, roots, isCache }, paths);
}

async function judge(
  place: SlotPlace,
  known: { inventory: Inventory; roots: readonly string[]; isCache: IsCache },
  paths: readonly string[],
): Promise<string | undefined> {
  const { inventory, roots, isCache } = known;
  const entries = new Map<string, ReadonlySet<string>>();
  const knows = (directory: string, entry: string): boolean => {
    const before = entries.get(directory) ?? new Set(inventory[directory]);
    entries.set(directory, before);
    return before.has(entry);
  };
  for (const path of paths) {
    const found = lstatSync(join(place.path, path), { throwIfNoEntry: false });
    if (!found) continue; // gone with the directory that it was added in, or missing from a listing below
    if (isCache(path, found.isDirectory() ? 'directory' : 'file')) continue;
    if (found.isDirectory() && inventory[path]) {
      const why = await tidyDirectory(place, path, inventory[path], isCache);
      if (why !== undefined) return why;
      continue;
    }
    const cut = path.lastIndexOf('/');
    const own = roots.includes(path) || knows(path.slice(0, cut), `${kindOf(found)}${path.slice(cut + 1)}`);
    if (own) return `${path} was changed`;
  }
  return undefined;
}

/** What is new in a directory goes; what is missing, or another directory under its name, can't be mended here. */
async function tidyDirectory(
  place: SlotPlace,
  directory: string,
  before: readonly string[],
  isCache: IsCache,
): Promise<string | undefined> {
  const known = new Set(before);
  const now = listing(place, directory, isCache);
  if (!now) return `${directory} can't be read`;
  for (const entry of now) {
    if (known.delete(entry)) continue;
    if (entry.startsWith('.')) return `${directory} was replaced, or its mode changed`;
    const gone = await moveToTrash(join(place.path, directory, entry.slice(1)), place.trash);
    // A name that is no UTF-8 can't be asked for; its directory as a whole can.
    if (!gone) return `${directory} holds a name that can't be read`;
  }
  const [missing] = known;
  return missing === undefined ? undefined : `${directory}/${missing.slice(1)} was taken away`;
}
