import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { START_LIMIT_MS, watchStart } from './start-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an agent that was started', () => {
  it('is told to stop where no process and no output of it were seen within the limit', () => {
    using watch = watchStart();
    vi.advanceTimersByTime(START_LIMIT_MS - 1);
    expect(watch.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(watch.signal.aborted).toBe(true);
  });

  it('may be silent for as long as it likes once it has begun', () => {
    using watch = watchStart();
    watch.began();
    vi.advanceTimersByTime(100 * START_LIMIT_MS);
    expect(watch.signal.aborted).toBe(false);
  });

  it('leaves no timer behind', () => {
    watchStart()[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });
});
