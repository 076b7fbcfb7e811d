import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Holdable, READ_MS, REST_MS, ReadingPace } from './reading-pace.ts';

describe('ReadingPace', () => {
  let pace: ReadingPace;
  let typed: Holdable;
  let flood: Holdable;
  beforeEach(() => {
    vi.useFakeTimers();
    pace = new ReadingPace();
    typed = { held: false };
    flood = { held: false };
    pace.add(typed);
    pace.add(flood);
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
  const held = (): boolean[] => [typed.held, flood.held];

  it('reads only what was typed into until it has answered', () => {
    pace.typed(typed);
    expect(held()).toEqual([false, true]);
    pace.answered(flood);
    expect(held()).toEqual([false, true]);
    pace.answered(typed);
    expect(held()).toEqual([false, false]);
  });

  it('reads the one that was typed into last', () => {
    pace.typed(flood);
    expect(held()).toEqual([true, false]);
    pace.typed(typed);
    expect(held()).toEqual([false, true]);
    pace.answered(typed);
  });

  it('goes on with the others where the one that was typed into is gone', () => {
    pace.typed(typed);
    pace.remove(typed);
    expect(flood.held).toBe(false);
    const late: Holdable = { held: false };
    pace.typed(flood);
    pace.add(late);
    expect(late.held).toBe(true);
    pace.remove(flood);
    expect(late.held).toBe(false);
  });

  it('lets floods rest between whiles, and little output never', () => {
    pace.read(1_000_000);
    expect(held()).toEqual([false, false]);
    vi.advanceTimersByTime(READ_MS);
    expect(held()).toEqual([true, true]);
    pace.typed(typed);
    expect(held()).toEqual([false, true]);
    pace.answered(typed);
    expect(held()).toEqual([true, true]);
    vi.advanceTimersByTime(REST_MS);
    expect(held()).toEqual([false, false]);
    pace.read(1_000);
    vi.advanceTimersByTime(READ_MS);
    expect(held()).toEqual([false, false]);
  });
});
