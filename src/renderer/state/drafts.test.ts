import { describe, expect, it } from 'vitest';
import { Drafts } from './drafts.ts';

/** A page's storage, with room for so many characters. */
function storage(room = Number.POSITIVE_INFINITY) {
  const rows = new Map<string, string>();
  return {
    rows,
    get length() {
      return rows.size;
    },
    key: (index: number) => [...rows.keys()][index] ?? null,
    getItem: (key: string) => rows.get(key) ?? null,
    setItem(key: string, text: string) {
      if (text.length > room) throw new Error('quota exceeded');
      rows.set(key, text);
    },
    removeItem: (key: string) => void rows.delete(key),
  };
}

describe('Drafts', () => {
  it('keeps what was written over a reload, until it is discarded', () => {
    const place = storage();
    expect(new Drafts(place).keep('title', 'Mend it')).toBe(true);
    expect(new Drafts(place).get('title')).toBe('Mend it');
    new Drafts(place).discard('title');
    expect(new Drafts(place).get('title')).toBeUndefined();
  });

  it('keeps what there is no room for until the page is left, and nothing older in its place', () => {
    const place = storage(100);
    const drafts = new Drafts(place);
    drafts.keep('tickets', 'short');
    expect(drafts.keep('tickets', 'x'.repeat(200))).toBe(false);
    expect(drafts.get('tickets')).toBe('x'.repeat(200));
    expect(new Drafts(place).get('tickets')).toBeUndefined();
  });

  it('lets go of what is old or broken, and of nothing that is not its own', () => {
    const place = storage();
    let now = 0;
    new Drafts(place, () => now).keep('old', 'text');
    now = 59 * 24 * 3_600_000;
    new Drafts(place, () => now).keep('new', 'text');
    place.rows.set('headway.draft.broken', '{');
    place.rows.set('headway.layout', 'mine');
    now = 61 * 24 * 3_600_000;
    const drafts = new Drafts(place, () => now);
    expect(['old', 'new', 'broken'].map((name) => drafts.get(name))).toEqual([undefined, 'text', undefined]);
    expect([...place.rows.keys()]).toEqual(['headway.draft.new', 'headway.layout']);
  });
});
