import type { Slot } from '../../shared/domain.ts';

/**
 * Ready slots in the order in which they should be tried: least work first (the dependencies that the commit needs are
 * installed, then the tree stands on the commit), then the one used last, whose files are most likely still in memory.
 */
export function slotsByWork(
  slots: readonly Slot[],
  wanted: { commit: string; key: string | undefined },
): Slot[] {
  const work = (slot: Slot): number =>
    (wanted.key === undefined || slot.installedKey === wanted.key ? 0 : 2) +
    (slot.commit === wanted.commit ? 0 : 1);
  return slots
    .filter((slot) => slot.state === 'ready')
    .sort((a, b) => work(a) - work(b) || b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1));
}
