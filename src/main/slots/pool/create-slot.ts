import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository, Slot } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { exists, moveToTrash } from '../../disk/trash.ts';
import { layoutOf, placeAt, type SlotPlace, type SlotUse, slotName } from '../../paths/layout.ts';
import { clearInstalled } from '../install/installed.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { freshGitDirectory, provenCommit, rememberProven, storeConfig } from '../tree/git-directory.ts';
import { keepRule } from '../tree/kept-caches.ts';
import { assertFilters } from '../tree/lfs.ts';
import { slotConfig } from '../tree/slot-config.ts';
import { fillSubmodules } from '../tree/submodules.ts';
import { checkOut, proveClean } from '../tree/tree.ts';
import { isOwn, rememberIdentity } from './identity.ts';
import { quiet } from './reset.ts';
import type { SlotBook } from './slot-book.ts';

export type CreateOptions = {
  root: string;
  repository: Repository;
  mirror: Mirror;
  commit: string;
  use: SlotUse;
  runnerId: string;
  holder: { jobId?: string; sessionId?: string };
  book: SlotBook;
  nowMs: number;
  /** Asked when it is written down: is it wanted beside the other slots of its repository, whatever they are for? */
  wanted?: (others: readonly Slot[]) => boolean;
  signal?: AbortSignal;
};

/** Makes a directory of a name that is free on disk and in the records; one made by hand is never touched. */
async function reserve(options: CreateOptions): Promise<SlotPlace> {
  const layout = layoutOf(options.root, options.repository.id);
  await mkdir(layout.trash, { recursive: true });
  await mkdir(layout.states, { recursive: true });
  const known = new Set((await options.book.list(options.repository.id)).map((slot) => slot.path));
  for (let number = 1; ; number += 1) {
    const place = layout.place(slotName(options.use, number));
    if (known.has(place.path)) continue;
    try {
      await mkdir(place.path);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw thrown;
    }
    await moveToTrash(place.state, place.trash);
    await mkdir(place.state);
    await rememberIdentity(place);
    return place;
  }
}

/** Fills an empty slot: pristine git directory, the commit's files, proof. Throws with git's words. */
async function fillSlot(
  place: SlotPlace,
  options: { repository: Repository; mirror: Mirror; commit: string; signal?: AbortSignal },
): Promise<void> {
  const { mirror, commit, signal } = options;
  await assertFilters(options.repository.path, mirror, commit);
  storeConfig(place, await slotConfig(options.repository.path, mirror.path, place.trash));
  await freshGitDirectory(place, commit);
  await checkOut(place, commit, signal);
  const why = await proveClean(place, commit, keepRule([], []));
  if (why !== undefined) throw new HeadwayError('internal', `not clean after the first checkout: ${why}`);
  rememberProven(place, commit);
  await fillSubmodules(place, commit, options.repository);
}

/**
 * Makes a slot's tree anew from what Headway keeps outside it. Returns its commit. Throws `unavailable` where too little is known: then remove the slot.
 */
export async function remakeSlot(place: SlotPlace, commit: string | undefined): Promise<string> {
  const target = provenCommit(place) ?? commit;
  if (!target || !(await isOwn(place)) || !(await exists(join(place.state, 'config')))) {
    throw new HeadwayError('unavailable', 'too little is known of this slot to make it anew: remove it');
  }
  await quiet(place, Date.now());
  await moveToTrash(place.path, place.trash);
  await mkdir(place.path);
  await rememberIdentity(place);
  for (const name of [`index.${target}`, 'products', 'step-caches', 'step-caches.waiting'])
    await moveToTrash(join(place.state, name), place.trash);
  await clearInstalled(place);
  await freshGitDirectory(place, target);
  await checkOut(place, target);
  const why = await proveClean(place, target, keepRule([], []));
  if (why !== undefined) throw new HeadwayError('internal', `not clean after it was made anew: ${why}`);
  rememberProven(place, target);
  return target;
}

/** Takes a slot off the disk: work tree, and what Headway knows of it. Throws where it can't be moved. */
export async function discardSlot(path: string): Promise<void> {
  const place = placeAt(path);
  // A directory made by hand under the slot's name is not ours to remove.
  if (await isOwn(place)) await moveToTrash(place.path, place.trash);
  await moveToTrash(place.state, place.trash);
}

/**
 * Creates a slot on the commit and returns its row in state `warming`; undefined where it is not wanted. Where it fails nothing is
 * left, and the error carries git's message.
 */
export async function createSlot(options: CreateOptions): Promise<Slot | undefined> {
  let place: SlotPlace | undefined;
  let slot: Slot | undefined;
  try {
    place = await reserve(options);
    const row: Slot = {
      id: `${layoutId(place)}-${place.name}`,
      repoId: options.repository.id,
      path: place.path,
      state: 'warming',
      runnerId: options.runnerId,
      ...options.holder,
      reason: 'is being made',
      usedAt: options.nowMs,
      updatedAt: options.nowMs,
    };
    if (!(await options.book.insert(row, options.wanted))) {
      await discardSlot(place.path);
      return undefined;
    }
    slot = row;
    await fillSlot(place, options);
    const made = await options.book.move(slot.id, ['warming'], {
      commit: options.commit,
      reason: undefined,
    });
    if (!made) throw new HeadwayError('conflict', 'the slot was taken away while it was made');
    return made;
  } catch (thrown) {
    if (place) await discardSlot(place.path).catch(() => undefined); // the first error is the one to tell
    if (slot) await options.book.remove(slot.id);
    if (thrown instanceof HeadwayError && ['cancelled', 'not-found'].includes(thrown.code)) throw thrown;
    throw new HeadwayError('unavailable', `no slot: ${toError(thrown).message}`, { cause: thrown });
  }
}

const layoutId = (place: SlotPlace): string => place.state.split(/[\\/]/).at(-3) ?? '';
