import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { troubleError } from '../store/store-trouble.ts';
import { patiently } from './patiently.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const full = (): never => {
  throw troubleError('disk-full', new Error('SQLITE_FULL'));
};

describe('what an attempt writes down', () => {
  it('is written when the disk has room again, however long that takes', async () => {
    let room = false;
    const written = patiently(async () => (room ? 'written' : full()), new AbortController().signal);
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    room = true;
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(written).resolves.toBe('written');
  });

  it('is given up when the attempt is told to stop, after a last try', async () => {
    const controller = new AbortController();
    let tries = 0;
    const written = patiently(async () => {
      tries += 1;
      return full();
    }, controller.signal);
    const outcome = expect(written).rejects.toThrow('full');
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    await outcome;
    expect(tries).toBe(2);
  });

  it('fails at once where waiting would not help', async () => {
    await expect(
      patiently(async () => {
        throw new Error('broken');
      }, new AbortController().signal),
    ).rejects.toThrow('broken');
  });
});
