import { describe, expect, test } from 'vitest';
import { KeptEvents } from './kept-events.ts';

const keeping = (...seqs: number[]): KeptEvents => {
  const kept = new KeptEvents({ count: 3, characters: 10 });
  for (const seq of seqs) kept.add(seq, `${seq}`);
  return kept;
};

describe('what a reader missed', () => {
  test('is what came after the last event that it saw', () => {
    const kept = keeping(5, 6, 7);
    expect(kept.after(5)).toEqual(['6', '7']);
    expect(kept.after(4)).toEqual(['5', '6', '7']);
    expect(kept.after(7)).toEqual([]);
  });

  test('is unknown once it is no longer kept, or where the numbers are not ours', () => {
    const kept = keeping(4, 5, 6, 7);
    expect(kept.after(3)).toBeUndefined();
    expect(kept.after(8)).toBeUndefined();
    expect(kept.after(Number.NaN)).toBeUndefined();
    expect(keeping().after(0)).toBeUndefined();
  });

  test('is forgotten by its size too', () => {
    const kept = keeping(1, 2);
    kept.add(3, '-'.repeat(9));
    expect(kept.after(1)).toEqual(['2', '-'.repeat(9)]);
    expect(kept.after(0)).toBeUndefined();
    kept.add(4, '-'.repeat(11));
    expect(kept.after(3)).toBeUndefined();
  });
});
