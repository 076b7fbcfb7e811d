import { SLOT_STATES, type Slot } from '../../../shared/domain.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import { measureTree } from '../../disk/measure.ts';
import { placeAt } from '../../paths/layout.ts';
import { slotsToEvict } from './evict.ts';
import type { SlotBook } from './slot-book.ts';

/** A hand-out often follows a reset: look when it is quiet again. */
const DELAY_MS = 5_000;

export type DiskKeeperOptions = {
  book: SlotBook;
  clock: () => number;
  budgetBytes: () => number;
  /** Takes a ready slot off the disk; throws where it is not ready any more. */
  evict(slot: Slot, why: string): Promise<void>;
  onEvicted(slot: Slot, why: string): void;
};

/** Knows what slots take on the disk, and keeps them within the budget. Works in the background alone. */
export class DiskKeeper {
  readonly #options: DiskKeeperOptions;
  readonly #closing = new AbortController();
  /** What was installed when a slot was measured. */
  readonly #measured = new Map<string, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(options: DiskKeeperOptions) {
    this.#options = options;
  }

  /** Something changed: look in a while. */
  soon(): void {
    if (this.#timer || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.look();
    }, DELAY_MS);
    this.#timer.unref();
  }

  /** Measures what is not known and evicts what exceeds the budget. Never throws. */
  look(): Promise<void> {
    return this.#next(async () => {
      await this.#measureAll();
      await this.#evictAll();
    });
  }

  /** As `look`, and evicts none. */
  measure(): Promise<void> {
    return this.#next(() => this.#measureAll());
  }

  #next(round: () => Promise<void>): Promise<void> {
    this.#round = this.#round.then(round).catch(() => undefined); // the next round tries again
    return this.#round;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #measureAll(): Promise<void> {
    for (const slot of await this.#options.book.list()) {
      if (this.#closing.signal.aborted) return;
      if (slot.state === 'ready' && this.#isDue(slot)) await this.#measure(slot);
    }
  }

  async #evictAll(): Promise<void> {
    const { book, budgetBytes, evict, onEvicted } = this.#options;
    for (const { slot, why } of slotsToEvict(await book.list(), budgetBytes())) {
      if (this.#closing.signal.aborted) return;
      await evict(slot, why).then(
        () => onEvicted(slot, why),
        () => undefined, // a job was faster, or it can't be moved and is in quarantine: both are fine
      );
    }
  }

  #isDue(slot: Slot): boolean {
    if (slot.sizeBytes === undefined || slot.measuredAt === undefined) return true;
    if (this.#options.clock() - slot.measuredAt > HOUR_MS) return true;
    return this.#measured.has(slot.id) && this.#measured.get(slot.id) !== slot.installedKey;
  }

  async #measure(slot: Slot): Promise<void> {
    const treeBytes = await measureTree(slot.path, this.#closing.signal);
    const stateBytes = await measureTree(placeAt(slot.path).state, this.#closing.signal);
    if (treeBytes === undefined || stateBytes === undefined) return;
    const sizeBytes = treeBytes + stateBytes;
    this.#measured.set(slot.id, slot.installedKey);
    await this.#options.book.move(slot.id, SLOT_STATES, { sizeBytes, measuredAt: this.#options.clock() });
  }
}
