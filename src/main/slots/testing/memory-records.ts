import type { Slot } from '../../../shared/domain.ts';
import type { SlotRecords } from '../../store/store.ts';

/** Slot rows in memory, for tests: the same guards as a store, no disk. */
export function memorySlotRecords(): SlotRecords {
  const rows = new Map<string, Slot>();
  return {
    async list(repoId) {
      return [...rows.values()].filter((slot) => repoId === undefined || slot.repoId === repoId);
    },
    async insert(slot, wanted) {
      if (rows.has(slot.id)) throw new Error(`slot ${slot.id} exists`);
      if (wanted?.([...rows.values()].filter(({ repoId }) => repoId === slot.repoId)) === false) return false;
      rows.set(slot.id, slot);
      return true;
    },
    async transition(slotId, from, change, held) {
      const slot = rows.get(slotId);
      if (!slot || !from.includes(slot.state)) return undefined;
      if (held && held.runnerId !== slot.runnerId) return undefined;
      const next = { ...slot, ...change };
      rows.set(slotId, next);
      return next;
    },
    async remove(slotId) {
      rows.delete(slotId);
    },
  };
}
