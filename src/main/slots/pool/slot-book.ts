import type { Slot, SlotState } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { patiently } from '../../limits/patiently.ts';
import type { SlotRecords } from '../../store/store.ts';

export type SlotChange = Partial<Omit<Slot, 'id' | 'repoId'>>;

/** Nobody holds the slot any more. */
export const UNHELD: SlotChange = { jobId: undefined, sessionId: undefined, runnerId: undefined };

/** The rows of slots, with the time of each change, and those told who watch them. */
export type SlotBook = ReturnType<typeof createSlotBook>;

export function createSlotBook(options: {
  records: SlotRecords;
  clock: () => number;
  onChange: (slot: Slot) => void;
  onRemoved: (slotId: string) => void;
  /** Nobody waits any more for a store that takes no changes. */
  closing: AbortSignal;
}) {
  const { records, clock, onChange, onRemoved, closing } = options;
  return {
    list: (repoId?: string): Promise<Slot[]> => records.list(repoId),

    async get(slotId: string): Promise<Slot> {
      const slot = (await records.list()).find((row) => row.id === slotId);
      if (!slot)
        throw new HeadwayError('not-found', `There is no slot ${slotId}; \`headway slots\` lists them.`);
      return slot;
    },

    /** False where it is not `wanted` beside the others. */
    async insert(slot: Slot, wanted?: (others: readonly Slot[]) => boolean): Promise<boolean> {
      const inserted = await records.insert(slot, wanted);
      if (inserted) onChange(slot);
      return inserted;
    },

    /**
     * Compare-and-set; undefined where somebody else was faster. Waits for a store whose disk is full: what is not written
     * down would leave the slot with somebody who has left it.
     */
    async move(
      slotId: string,
      from: readonly SlotState[],
      change: SlotChange,
      held?: Pick<Slot, 'runnerId'>,
    ): Promise<Slot | undefined> {
      const moved = { ...change, updatedAt: clock() };
      const slot = await patiently(() => records.transition(slotId, from, moved, held), closing);
      if (slot) onChange(slot);
      return slot;
    },

    async remove(slotId: string): Promise<void> {
      await records.remove(slotId);
      onRemoved(slotId);
    },
  };
}
