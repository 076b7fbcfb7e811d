import { describe, expect, it } from 'vitest';
import type { Slot } from '../../shared/domain.ts';
import { slotsByWork } from './choose-slot.ts';

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
});
