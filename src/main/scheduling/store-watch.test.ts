import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { troubleError } from '../store/store-trouble.ts';
import { createStoreWatch, type StoreWatch } from './store-watch.ts';

let said: string[];
let full: boolean;
let watch: StoreWatch;
beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  full = true;
  watch = createStoreWatch({
    async probe() {
      if (full) throw troubleError('disk-full', new Error('SQLITE_FULL'));
    },
    onTrouble: (error) => said.push(error.message),
    onRecovered: () => said.push('goes on'),
  });
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

describe('a store that takes no changes', () => {
  it('is told once, looked after, and told when it takes them again', async () => {
    expect(watch.cause).toBeUndefined();
    expect(watch.noticed(troubleError('disk-full', new Error('SQLITE_FULL')))).toBe(true);
    expect(watch.noticed(troubleError('disk-full', new Error('SQLITE_FULL')))).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('disk');
    expect(watch.cause).toMatchObject({ code: 'store-trouble' });
    full = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(said.at(-1)).toBe('goes on');
    expect(watch.cause).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not what every error means', () => {
    expect(watch.noticed(new Error('a broken assumption'))).toBe(false);
    expect(watch.cause).toBeUndefined();
  });

  it('is not looked after any more once stopped', () => {
    watch.noticed(troubleError('read-only', new Error('SQLITE_READONLY')));
    watch.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
