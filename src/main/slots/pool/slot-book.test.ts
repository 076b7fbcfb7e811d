import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { troubleError } from '../../store/store-trouble.ts';
import { memorySlotRecords } from '../testing/memory-records.ts';
import { createSlotBook, UNHELD } from './slot-book.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('waits with a slot that is given back until the store takes changes again, and not for ever while it closes', async () => {
  const records = memorySlotRecords();
  await records.insert({
    id: 's',
    repoId: 'r',
    path: '/p',
    state: 'claimed',
    jobId: 'j',
    usedAt: 1,
    updatedAt: 1,
  });
  let room = false;
  const closing = new AbortController();
  const book = createSlotBook({
    records: {
      ...records,
      transition: async (...change) => {
        if (!room) throw troubleError('disk-full', new Error('SQLITE_FULL'));
        return records.transition(...change);
      },
    },
    clock: () => 2,
    onChange: () => undefined,
    onRemoved: () => undefined,
    closing: closing.signal,
  });
  const given = book.move('s', ['claimed'], { state: 'ready', ...UNHELD });
  await vi.advanceTimersByTimeAsync(60_000);
  room = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await given).toMatchObject({ state: 'ready', jobId: undefined, updatedAt: 2 });

  room = false;
  const refused = expect(book.move('s', ['ready'], { state: 'claimed' })).rejects.toThrow(/disk .* is full/);
  await vi.advanceTimersByTimeAsync(5_000);
  closing.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});
