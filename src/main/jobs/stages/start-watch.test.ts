import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchStart } from './start-watch.ts';

const LIMIT_MS = 5 * 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an agent that was started', () => {
  it('is told to stop where no process and no output of it were seen within the limit', () => {
    using watch = watchStart(LIMIT_MS);
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(watch.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(watch.signal.aborted).toBe(true);
  });

  it('may be silent for as long as it likes once it has begun', () => {
    using watch = watchStart(LIMIT_MS);
    watch.began();
    vi.advanceTimersByTime(100 * LIMIT_MS);
    expect(watch.signal.aborted).toBe(false);
  });

  it('leaves no timer behind', () => {
    watchStart(LIMIT_MS)[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });
});
