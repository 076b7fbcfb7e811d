import { describe, expect, it } from 'vitest';
import type { Job } from '../../../shared/domain.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/time.ts';
import { queueRefusal, retryAfterMs } from './queue-limit.ts';

const NOW = 10 * HOUR_MS;
type Seen = Pick<Job, 'state' | 'startedAt' | 'endedAt'>;
const ended = (startedAgoMs: number, endedAgoMs: number, state: Job['state'] = 'merged'): Seen => ({
  state,
  startedAt: NOW - startedAgoMs,
  endedAt: NOW - endedAgoMs,
});
const refusal = (queued: number, adding: number, jobs: readonly Seen[] = []) =>
  queueRefusal({ jobs, queued, limit: 10 }, adding, NOW);

describe('the time to try again', () => {
  it('comes from what ended in the last hour', () => {
    const jobs = Array.from({ length: 30 }, (_, i) => ended(2 * HOUR_MS, i * MINUTE_MS));
    expect(retryAfterMs(jobs, 5, NOW)).toBe(10 * MINUTE_MS);
  });

  it('counts from the first start where work began less than an hour ago', () => {
    expect(retryAfterMs([ended(10 * MINUTE_MS, 0), ended(9 * MINUTE_MS, 0)], 4, NOW)).toBe(20 * MINUTE_MS);
  });

  it('ignores what ended earlier, or was cancelled before it ran', () => {
    const jobs: Seen[] = [
      ended(9 * HOUR_MS, 8 * HOUR_MS),
      { state: 'cancelled', endedAt: NOW },
      ended(4 * MINUTE_MS, 0),
    ];
    expect(retryAfterMs(jobs, 1, NOW)).toBe(4 * MINUTE_MS);
  });

  it('comes from the jobs that run where none has ended', () => {
    const running: Seen = { state: 'running', startedAt: NOW - 6 * MINUTE_MS };
    expect(retryAfterMs([running, running, running], 1, NOW)).toBe(2 * MINUTE_MS);
  });

  it('is never less than a second or more than a day, and something where nothing is known', () => {
    expect(retryAfterMs([ended(0, 0)], 1, NOW)).toBe(1000);
    expect(retryAfterMs([ended(HOUR_MS, 0)], 1000, NOW)).toBe(24 * HOUR_MS);
    expect(retryAfterMs([], 7, NOW)).toBe(MINUTE_MS);
  });
});

describe('a full queue', () => {
  it('refuses what would exceed it, with the time in data and in words', () => {
    const error = refusal(9, 2, [ended(10 * MINUTE_MS, 0)]);
    expect(error).toMatchObject({
      code: 'busy',
      data: { retryAfterMs: 10 * MINUTE_MS, queued: 9, limit: 10 },
    });
    expect(error?.message).toContain('Try again in about 10 min');
  });

  it('takes what fits to the last place, and nothing new at any time', () => {
    expect(refusal(8, 2)).toBeUndefined();
    expect(refusal(50, 0)).toBeUndefined();
  });

  it('does not ask to try again what can never fit', () => {
    expect(refusal(0, 11)).toMatchObject({ code: 'bad-input' });
  });
});
