import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeadwayError } from '../../shared/errors.ts';
import { steadily } from './steadily.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = new AbortController().signal;
const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const killed = () =>
  new HeadwayError('busy', 'git add was killed (SIGKILL)', { data: { killed: 'SIGKILL' } });

it('goes on when a full disk has room again', async () => {
  let room = false;
  const done = steadily(async () => {
    if (!room) throw full();
    return 'kept';
  }, open);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  room = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await done).toBe('kept');
});

it('gives up a disk that stays full, and at once when everything closes', async () => {
  const done = steadily(() => Promise.reject(full()), open);
  const refused = expect(done).rejects.toThrow('ENOSPC');
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  await refused;
  await expect(steadily(() => Promise.reject(full()), AbortSignal.abort())).rejects.toThrow('ENOSPC');
});

it('does it once more where a git was killed, and not for any other failure', async () => {
  let tries = 0;
  const tell = (thrown: Error) =>
    steadily(() => {
      tries += 1;
      return Promise.reject(thrown);
    }, open);
  await expect(tell(killed())).rejects.toThrow('was killed');
  expect(tries).toBe(2);
  await expect(tell(new Error('bad object'))).rejects.toThrow('bad object');
  expect(tries).toBe(3);
});
