import type { Slot } from '../../../shared/domain.ts';
import { formatBytes } from '../../../shared/sizes.ts';

/**
 * Which slots go so that all together take no more than the budget: those that were used longest ago. Only ready ones, which
 * are proved to hold nothing but a commit; the one used last stays, because a budget below one slot would make each job
 * wait for a new one.
 */
export function slotsToEvict(slots: readonly Slot[], budgetBytes: number): { slot: Slot; why: string }[] {
  const total = slots.reduce((sum, slot) => sum + (slot.sizeBytes ?? 0), 0);
  const newest = slots.reduce((latest, slot) => Math.max(latest, slot.usedAt), Number.NEGATIVE_INFINITY);
  const candidates = slots
    .filter((slot) => slot.state === 'ready' && (slot.sizeBytes ?? 0) > 0 && slot.usedAt < newest)
    .sort((a, b) => a.usedAt - b.usedAt || (a.id < b.id ? -1 : 1));
  const why = `evicted: slots took ${formatBytes(total)} of ${formatBytes(budgetBytes)}, and it was used longest ago`;
  const evicted: { slot: Slot; why: string }[] = [];
  let left = total;
  for (const slot of candidates) {
    if (left <= budgetBytes) break;
    evicted.push({ slot, why });
    left -= slot.sizeBytes ?? 0;
  }
  return evicted;
}
