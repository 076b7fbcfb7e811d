import { describe, expect, it } from 'vitest';
import type { Slot } from '../../../shared/domain.ts';
import { slotsToEvict } from './evict.ts';

const slot = (id: string, usedAt: number, sizeBytes?: number, state: Slot['state'] = 'ready'): Slot => ({
  id,
  repoId: 'r',
  path: `/${id}`,
  state,
  usedAt,
  updatedAt: 0,
  ...(sizeBytes === undefined ? {} : { sizeBytes }),
});
const evicted = (slots: Slot[], budget: number) => slotsToEvict(slots, budget).map(({ slot: { id } }) => id);

describe('under a disk budget', () => {
  it('those used longest ago go, and no more than needed', () => {
    expect(evicted([slot('c', 3, 4), slot('a', 1, 4), slot('b', 2, 4)], 8)).toEqual(['a']);
    expect(evicted([slot('c', 3, 4), slot('a', 1, 4), slot('b', 2, 4)], 7)).toEqual(['a', 'b']);
    expect(evicted([slot('a', 1, 4), slot('b', 2, 4)], 8)).toEqual([]);
  });

  it('only ready ones go: never one that is claimed, being reset, or may hold work', () => {
    const held = (['claimed', 'resetting', 'warming', 'quarantined', 'cold'] as const).map((state, at) =>
      slot(state, at, 10, state),
    );
    expect(evicted([...held, slot('ready', 9, 10), slot('last', 10, 10)], 0)).toEqual(['ready']);
  });

  it('one whose size is not known goes for nothing, and the one used last stays', () => {
    expect(evicted([slot('unknown', 1), slot('last', 2, 100)], 10)).toEqual([]);
  });

  it('says why', () => {
    const [first] = slotsToEvict([slot('a', 1, 3 * 1024 ** 3), slot('b', 2, 1)], 2 * 1024 ** 3);
    expect(first?.why).toBe('evicted: slots took 3.0 GB of 2.0 GB, and it was used longest ago');
  });
});
