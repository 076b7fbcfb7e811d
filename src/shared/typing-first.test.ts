import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_MS, TypingFirst } from './typing-first.ts';

describe('TypingFirst', () => {
  let told: boolean[];
  let typing: TypingFirst;
  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
    typing = new TypingFirst(() => told.push(typing.holding));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('holds from a key to its echo', () => {
    typing.typed();
    expect(typing.holding).toBe(true);
    typing.typed();
    typing.answered();
    typing.answered();
    expect(told).toEqual([true, false]);
    typing.typed();
    expect(typing.holding).toBe(true);
    typing.answered();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for ever, nor again and again', () => {
    typing.typed();
    vi.advanceTimersByTime(ANSWER_MS - 1);
    expect(typing.holding).toBe(true);
    vi.advanceTimersByTime(1);
    expect(typing.holding).toBe(false);
    typing.typed();
    expect(typing.holding).toBe(false);
    vi.advanceTimersByTime(ANSWER_MS);
    typing.typed();
    expect(typing.holding).toBe(true);
    expect(told).toEqual([true, false, true]);
  });
});
