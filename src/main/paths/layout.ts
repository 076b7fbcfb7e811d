import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Where things lie. Names come from a hash and a counter, never from a title or a repository's name, and stay short for
 * platforms that limit paths. Everything of one repository is on one volume, so that a rename moves it.
 */
export type RepositoryLayout = {
  directory: string;
  mirror: string;
  trash: string;
  states: string;
  /** The place of the slot of that name, such as `s1` or `g1`. */
  place(name: string): SlotPlace;
};

/**
 * What a slot is for, as the first letter of its name says for as long as there is one: work (agents, sessions) or the gate alone. A gate never
 * judges in a tree that an agent had: whatever an agent left there or still holds open is elsewhere.
 */
export type SlotUse = 'work' | 'gate';

const LETTERS = { work: 's', gate: 'g' } as const satisfies Record<SlotUse, string>;

export const slotName = (use: SlotUse, number: number): string => `${LETTERS[use]}${number}`;

export const slotUse = ({ path }: { path: string }): SlotUse =>
  basename(path).startsWith(LETTERS.gate) ? 'gate' : 'work';

/** A slot's work tree, and what Headway keeps about it outside the reach of a job's own git. */
export type SlotPlace = {
  name: string;
  path: string;
  gitDirectory: string;
  state: string;
  trash: string;
  mirror: string;
};

export function layoutOf(root: string, repoId: string): RepositoryLayout {
  const hash = createHash('sha256').update(repoId).digest('hex').slice(0, 10);
  const directory = join(root, hash);
  return {
    directory,
    mirror: join(directory, 'mirror.git'),
    trash: join(directory, '.trash'),
    states: join(directory, '.state'),
    place: (name) => placeAt(join(directory, name)),
  };
}

/** The place of a slot whose work tree is known. */
export function placeAt(path: string): SlotPlace {
  const directory = dirname(path);
  const name = basename(path);
  return {
    name,
    path,
    gitDirectory: join(path, '.git'),
    state: join(directory, '.state', name),
    trash: join(directory, '.trash'),
    mirror: join(directory, 'mirror.git'),
  };
}

/** True where each parent of a path in the slot is a real directory, so that working on it stays inside. */
export function parentsAreReal(place: SlotPlace, path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return parts.every((_, depth) => {
    const found = lstatSync(join(place.path, ...parts.slice(0, depth + 1)), { throwIfNoEntry: false });
    return found === undefined || found.isDirectory();
  });
}
