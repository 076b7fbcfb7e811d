import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchoredTop, type PlacedRow } from './scroll-anchor.ts';

/** Rows of 28 and 48 pixels below each other, as the queue has them. */
function placed(keys: readonly string[]): PlacedRow[] {
  let start = 0;
  return keys.map((key) => {
    const row = { key, start, size: key.endsWith('!') ? 48 : 28 };
    start += row.size;
    return row;
  });
}

describe('the place of the list', () => {
  it('follows the row that is read when rows above it go', () => {
    const before = placed(['a', 'b!', 'c', 'd', 'e']);
    expect(anchoredTop(before, placed(['b!', 'c', 'd', 'e']), 80)).toBe(52);
  });

  it('goes by the next row where the first visible one has gone', () => {
    const before = placed(['a', 'b', 'c', 'd']);
    expect(anchoredTop(before, placed(['a', 'x', 'y', 'c', 'd']), 30)).toBe(58);
  });

  it('stays at the top, where new rows are seen as they come', () => {
    expect(anchoredTop(placed(['a']), placed(['new', 'a']), 0)).toBe(0);
  });

  it('keeps the first visible row that is left at the same distance from the edge, or the top as it was', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,2}!?$/), { maxLength: 30 });
    fc.assert(
      fc.property(keys, keys, fc.integer({ min: 1, max: 900 }), (old, next, top) => {
        const [before, after] = [placed(old), placed(next)];
        const moved = anchoredTop(before, after, top);
        const read = before.find(
          (row) => row.start + row.size > top && after.some(({ key }) => key === row.key),
        );
        const now = after.find(({ key }) => key === read?.key);
        if (!read || !now) expect(moved).toBe(top);
        else expect(moved).toBe(Math.max(0, now.start - (read.start - top)));
      }),
    );
  });
});
