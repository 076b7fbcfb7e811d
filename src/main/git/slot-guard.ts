import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import { moveToTrash } from '../disk/trash.ts';
import { placeAt, type SlotPlace } from '../paths/layout.ts';

/*
 * A job owns the git directory of its slot and may write anything into it, also what makes a git of ours run the job's
 * programs: filters, trailer commands, monitors, hooks, an included file. So nothing of it is believed that a job has no
 * business with. Before each git call in a slot the configuration is put back as Headway wrote it, which takes away
 * every setting at once, and what else can name programs or show another history is moved away.
 */

/** The pristine configuration of a slot, in what Headway keeps of it outside. */
export const CONFIG = 'config';

/**
 * What a pristine git directory never holds beside its configuration: a second configuration, another place for all of
 * it, hooks, drivers for files, and what changes which commits git sees.
 */
export const NEVER_IN_A_SLOT = [
  'config.worktree',
  'commondir',
  'hooks',
  'info/attributes',
  'info/grafts',
  'objects/info/commit-graph',
  'objects/info/commit-graphs',
] as const;

/** A directory which, if a job made a link of it, would let git work elsewhere. */
const DIRECTORIES = ['.', 'info', 'objects', 'objects/info', 'refs'];

/** The slot that a directory is the work tree of; undefined: it is no slot. */
export function slotOf(directory: string): SlotPlace | undefined {
  const place = placeAt(directory);
  return existsSync(join(place.state, CONFIG)) ? place : undefined;
}

/**
 * Makes a slot's git directory safe to call git in. Cheap where nothing was changed: a dozen looks at small files. Throws
 * `not-allowed` where it is no plain directory any more; where it is gone, git itself says so.
 */
export async function guardSlot(place: SlotPlace): Promise<void> {
  const git = place.gitDirectory;
  if (!lstatSync(git, { throwIfNoEntry: false })) return;
  for (const name of DIRECTORIES) {
    const found = lstatSync(join(git, name), { throwIfNoEntry: false });
    if (found && !found.isDirectory()) {
      throw new HeadwayError(
        'not-allowed',
        `${join(git, name)} is no directory any more: the agent replaced it; reopen the job`,
      );
    }
  }
  for (const name of NEVER_IN_A_SLOT) {
    if (lstatSync(join(git, name), { throwIfNoEntry: false }))
      await moveToTrash(join(git, name), place.trash);
  }
  await putBack(join(place.state, CONFIG), join(git, 'config'), place.trash);
  await putBack(join(place.mirror, 'shallow'), join(git, 'shallow'), place.trash);
}

/** Makes a file the same as the one that Headway keeps; it is gone where there is none. */
async function putBack(kept: string, file: string, trash: string): Promise<void> {
  const wanted = existsSync(kept) ? readFileSync(kept) : undefined;
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found && !wanted) return;
  // A pipe would never end.
  if (found?.isFile() && wanted && found.size === wanted.length && readFileSync(file).equals(wanted)) return;
  if (found) await moveToTrash(file, trash);
  if (!wanted) return;
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(kept, file);
}
