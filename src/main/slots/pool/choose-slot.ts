import type { Slot } from '../../../shared/domain.ts';

type Wanted = {
  commit: string;
  /** Undefined: nothing is to be installed, or all have the same. */
  key: string | undefined;
  /** Commit → how many files differ from the wanted one, where it was asked for. */
  distances?: ReadonlyMap<string, number>;
};

const hasInstall = (slot: Slot, { key }: Wanted): boolean => key === undefined || slot.installedKey === key;

/**
 * Ready slots in the order in which they should be tried: least work first (the dependencies that the commit needs are
 * installed, then the tree stands on the commit, then on one near it), then the one used last, whose files are most likely
 * still in memory.
 */
export function slotsByWork(slots: readonly Slot[], wanted: Wanted): Slot[] {
  const install = (slot: Slot): number => (hasInstall(slot, wanted) ? 0 : 1);
  const distance = (slot: Slot): number => {
    if (slot.commit === wanted.commit) return 0;
    return (slot.commit && wanted.distances?.get(slot.commit)) || Number.MAX_SAFE_INTEGER;
  };
  return slots
    .filter((slot) => slot.state === 'ready')
    .sort(
      (a, b) =>
        install(a) - install(b) || distance(a) - distance(b) || b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1),
    );
}

/** Commits whose distance decides which slot needs least work; none where it is plain without. */
export function commitsToCompare(slots: readonly Slot[], wanted: Wanted): string[] {
  const ready = slots.filter((slot) => slot.state === 'ready');
  const installed = ready.filter((slot) => hasInstall(slot, wanted));
  const best = installed.length > 0 ? installed : ready;
  const commits = new Set(best.flatMap(({ commit }) => commit ?? []));
  return commits.size < 2 || commits.has(wanted.commit) ? [] : [...commits];
}
