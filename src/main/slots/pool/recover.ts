import { readdir } from 'node:fs/promises';
import type { Slot } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { steadily } from '../../limits/steadily.ts';
import { placeAt, type SlotPlace } from '../../paths/layout.ts';
import { provenCommit } from '../tree/git-directory.ts';
import { keepWork } from '../tree/keep.ts';
import { isOwn } from './identity.ts';
import { quiet } from './reset.ts';
import type { SlotBook } from './slot-book.ts';

export type RecoverOptions = {
  book: SlotBook;
  runnerId: string;
  isRunnerAlive: (runnerId: string) => Promise<boolean>;
  nowMs: number;
  closing: AbortSignal;
  /** Resetting → ready or quarantined. */
  reset(slot: Slot): Promise<unknown>;
  quarantine(slot: Slot, reason: string): Promise<void>;
  forget(slot: Slot): Promise<unknown>;
  emptyTrash(trash: string): void;
};

/**
 * Takes over the slots of dead runners: what still runs in them is ended, work is kept, then they are reset. One that
 * was never finished is removed. A slot whose directory is gone leaves the records.
 */
export async function recoverSlots(options: RecoverOptions): Promise<void> {
  const slots = await options.book.list();
  const alive = new Map<string, Promise<boolean>>();
  const isAlive = (runnerId: string | undefined): Promise<boolean> => {
    if (runnerId === undefined) return Promise.resolve(false);
    if (runnerId === options.runnerId) return Promise.resolve(true);
    const known = alive.get(runnerId) ?? options.isRunnerAlive(runnerId);
    alive.set(runnerId, known);
    return known;
  };
  await Promise.all(
    slots.map(async (slot) => {
      options.emptyTrash(placeAt(slot.path).trash);
      const held = ['claimed', 'warming', 'resetting', 'cold'].includes(slot.state);
      if (held && (await isAlive(slot.runnerId))) return;
      if (held) await takeOver(slot, options);
      else if (!(await isOwn(placeAt(slot.path)))) await forgetGone(slot, options);
    }),
  );
}

/**
 * Makes the slot ours if it still is as it was read. The state alone does not tell: another runner may have recovered it since, and
 * given it to a job of its own.
 */
const seize = (slot: Slot, { book, runnerId }: RecoverOptions): Promise<Slot | undefined> =>
  book.move(
    slot.id,
    [slot.state],
    { state: 'resetting', runnerId, reason: 'its runner has ended' },
    { runnerId: slot.runnerId },
  );

/** Nobody works in it, and its directory is gone; one that is made anew just now is seen to be back. */
async function forgetGone(slot: Slot, options: RecoverOptions): Promise<void> {
  const taken = await seize(slot, options);
  if (!taken) return;
  if (!(await isOwn(placeAt(slot.path)))) return void (await options.forget(taken));
  const { state, runnerId, reason } = slot;
  await options.book.move(slot.id, ['resetting'], { state, runnerId, reason });
}

async function takeOver(slot: Slot, options: RecoverOptions): Promise<void> {
  const taken = await seize(slot, options);
  if (!taken) return; // another runner recovers it
  const place = placeAt(slot.path);
  if (!(await isOwn(place))) return void (await options.forget(taken));
  try {
    if ((await steadily(() => keepFirst(slot, place, options), options.closing)) === 'nothing') {
      await options.forget(taken);
      return;
    }
  } catch (thrown) {
    await options.quarantine(taken, `its work could not be kept: ${toError(thrown).message}`);
    return;
  }
  await options.reset(taken);
}

/** Ends what runs there and keeps what is there; `nothing` where the slot was never finished. */
async function keepFirst(slot: Slot, place: SlotPlace, options: RecoverOptions): Promise<'kept' | 'nothing'> {
  await quiet(place, options.nowMs);
  if (!provenCommit(place) || (await readdir(place.path)).length === 0) return 'nothing';
  // Still somebody's while it was reset: the runner that took it over has ended too, before it had kept the work.
  const holder = slot.jobId ?? slot.sessionId;
  if (slot.state === 'claimed' || (slot.state === 'resetting' && holder !== undefined)) {
    await keepWork(place, `recovered-${holder ?? 'slot'}-${place.name}-${options.nowMs}`, []);
  }
  return 'kept';
}
