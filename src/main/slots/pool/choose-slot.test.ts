import { describe, expect, it } from 'vitest';
import type { Slot } from '../../../shared/domain.ts';
import { commitsToCompare, slotsByWork } from './choose-slot.ts';

const slot = (id: string, fields: Partial<Slot>): Slot => ({
  id,
  repoId: 'r',
  path: `/${id}`,
  state: 'ready',
  usedAt: 0,
  updatedAt: 0,
  ...fields,
});

describe('which slot a job gets', () => {
  const order = (slots: Slot[], key?: string): string[] =>
    slotsByWork(slots, { commit: 'c', key }).map((one) => one.id);

  it('least work first: the same install, then the same commit', () => {
    const slots = [
      slot('none', { commit: 'x' }),
      slot('commit', { commit: 'c' }),
      slot('install', { installedKey: 'k', commit: 'x' }),
      slot('both', { installedKey: 'k', commit: 'c' }),
    ];
    expect(order(slots, 'k')).toEqual(['both', 'install', 'commit', 'none']);
  });

  it('the one used last among equals', () => {
    expect(order([slot('old', { usedAt: 1 }), slot('new', { usedAt: 2 })])).toEqual(['new', 'old']);
  });

  it('none that is not ready', () => {
    expect(order([slot('a', { state: 'claimed' }), slot('b', { state: 'quarantined' })])).toEqual([]);
  });

  it('the nearest commit, where none stands on it, but an install counts for more', () => {
    const slots = [
      slot('far', { commit: 'f', usedAt: 9 }),
      slot('near', { commit: 'n' }),
      slot('unknown', { commit: 'u', usedAt: 5 }),
      slot('installed', { commit: 'f', installedKey: 'k' }),
    ];
    const distances = new Map([
      ['f', 900],
      ['n', 3],
    ]);
    const sorted = slotsByWork(slots, { commit: 'c', key: 'k', distances });
    expect(sorted.map(({ id }) => id)).toEqual(['installed', 'near', 'far', 'unknown']);
  });

  it('and distances are asked for only where they decide', () => {
    const two = [slot('a', { commit: 'x' }), slot('b', { commit: 'y' })];
    const compare = (slots: Slot[], key?: string): string[] => commitsToCompare(slots, { commit: 'c', key });
    expect(compare(two)).toEqual(['x', 'y']);
    expect(compare([...two, slot('c', { commit: 'c' })])).toEqual([]);
    expect(compare([slot('a', { commit: 'x' }), slot('b', { commit: 'x' })])).toEqual([]);
    expect(compare([...two, slot('c', { commit: 'z', installedKey: 'k' })], 'k')).toEqual([]);
    expect(compare([slot('a', { commit: 'x', state: 'claimed' }), slot('b', { commit: 'y' })])).toEqual([]);
  });
});
