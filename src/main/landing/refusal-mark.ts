import { createHash } from 'node:crypto';
import { lookOutside } from './look-outside.ts';
import { checkoutsOf } from './user-checkout.ts';

/**
 * Mark of what in the user's clone may make it refuse a merge: its settings, its hooks, and where the base is checked
 * out. Another mark: the next try may go through.
 */
export async function refusalMark(clone: { path: string; gitDir: string }, base: string): Promise<string> {
  const [{ config, hooks }, checkouts] = await Promise.all([
    lookOutside(clone, base),
    checkoutsOf(clone.path, base),
  ]);
  const facts = [[...config].toSorted(), [...hooks].toSorted(), checkouts];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}
