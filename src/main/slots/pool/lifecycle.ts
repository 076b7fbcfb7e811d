import type { Slot, SlotState } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { steadily } from '../../limits/steadily.ts';
import { placeAt } from '../../paths/layout.ts';
import { keepWork } from '../tree/keep.ts';
import { discardSlot, remakeSlot } from './create-slot.ts';
import { isOwn } from './identity.ts';
import { quiet, resetSlot } from './reset.ts';
import { type SlotBook, UNHELD } from './slot-book.ts';
import type { SlotPlan } from './slot-plan.ts';

export type LifecycleOptions = {
  book: SlotBook;
  runnerId: string;
  /** Milliseconds since 1970. */
  clock(): number;
  closing: AbortSignal;
  emptyTrash(trash: string): void;
  /** A slot came back: what all take on the disk may be too much now. */
  onReset(): void;
};

/** Nobody works in them. */
const AT_REST: readonly SlotState[] = ['ready', 'quarantined', 'cold'];

/** What becomes of slots that nobody works in any more: ready again, in quarantine, made anew, or gone. */
export class SlotLifecycle {
  readonly #options: LifecycleOptions;
  readonly #book: SlotBook;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#book = options.book;
  }

  /** Claimed → resetting → ready, or quarantined. Never throws. */
  async release(slot: Slot, plan: SlotPlan): Promise<void> {
    const held = await this.#book.move(slot.id, ['claimed', 'warming'], {
      state: 'resetting',
      ...UNHELD,
      runnerId: this.#options.runnerId,
    });
    if (held) await this.reset(held, plan.caches);
  }

  async reset(slot: Slot, caches: readonly string[]): Promise<Slot | undefined> {
    const place = placeAt(slot.path);
    if (!(await isOwn(place))) return this.forget(slot);
    try {
      const kept = { caches, installed: slot.installedKey !== undefined };
      const { commit, installed } = await steadily(
        () => resetSlot(place, kept, this.#options.clock()),
        this.#options.closing,
      );
      this.#options.emptyTrash(place.trash);
      this.#options.onReset();
      return await this.#book.move(slot.id, ['resetting'], {
        state: 'ready',
        commit,
        reason: undefined,
        ...(installed ? {} : { installedKey: undefined }),
        ...UNHELD,
      });
    } catch (thrown) {
      await this.quarantine(slot, toError(thrown).message);
      return undefined;
    }
  }

  async quarantine(slot: Slot, reason: string): Promise<void> {
    await this.#book.move(slot.id, ['claimed', 'warming', 'resetting', 'ready'], {
      state: 'quarantined',
      reason,
      ...UNHELD,
    });
  }

  /** A slot whose directory somebody removed or replaced. */
  async forget(slot: Slot): Promise<undefined> {
    await discardSlot(slot.path).catch(() => undefined); // nothing of ours is left there
    await this.#book.remove(slot.id);
  }

  async rebuild(slotId: string): Promise<Slot> {
    const slot = await this.#book.get(slotId);
    await this.#saveWork(slot, 'rebuilt');
    const taken = await this.#takeAway(slot, 'is made anew');
    const place = placeAt(taken.path);
    try {
      const commit = await remakeSlot(place, taken.commit);
      const made = await this.#book.move(taken.id, ['warming'], {
        state: 'ready',
        commit,
        installedKey: undefined,
        reason: undefined,
        ...UNHELD,
      });
      if (!made) throw new HeadwayError('conflict', `slot ${slotId} was taken away meanwhile`);
      return made;
    } catch (thrown) {
      await this.quarantine(taken, toError(thrown).message);
      throw thrown;
    } finally {
      this.#options.emptyTrash(place.trash);
    }
  }

  async remove(slotId: string): Promise<void> {
    const slot = await this.#book.get(slotId);
    await this.#saveWork(slot, 'removed');
    await this.discard(slot, AT_REST, 'is removed');
  }

  /**
   * Work may lie in a slot in quarantine. Best effort: a person wants the slot gone or new, and its reason said what could not
   * be kept. Before the slot is taken away, so that a crash in between loses nothing.
   */
  async #saveWork(slot: Slot, label: string): Promise<void> {
    const place = placeAt(slot.path);
    if (slot.state !== 'quarantined' || !(await isOwn(place))) return;
    const nowMs = this.#options.clock();
    await quiet(place, nowMs).catch(() => undefined);
    await keepWork(place, `${label}-${place.name}-${nowMs}`, []).catch(() => undefined);
  }

  async discard(slot: Slot, from: readonly SlotState[], why: string): Promise<void> {
    const taken = await this.#takeAway(slot, why, from);
    try {
      await discardSlot(taken.path);
    } catch (thrown) {
      await this.quarantine(taken, `can't be removed: ${toError(thrown).message}`);
      throw thrown;
    }
    await this.#book.remove(taken.id);
    this.#options.emptyTrash(placeAt(taken.path).trash);
  }

  async #takeAway(slot: Slot, reason: string, from = AT_REST): Promise<Slot> {
    const taken = await this.#book.move(slot.id, from, {
      state: 'warming',
      runnerId: this.#options.runnerId,
      reason,
    });
    if (taken) return taken;
    // Read anew: another process may have been quicker.
    const { state } = await this.#book.get(slot.id);
    throw new HeadwayError(
      'not-allowed',
      `slot ${slot.id} is ${state}: wait until whoever has it lets it go`,
    );
  }
}
