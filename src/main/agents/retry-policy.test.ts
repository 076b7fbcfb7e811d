import { describe, expect, it } from 'vitest';
import { ModelError } from './chat-model.ts';
import { decideRetry, isBusyStatus, RETRY_POLICY } from './retry-policy.ts';

const busy = (after?: number): ModelError => new ModelError('busy', 'slow', { retryAfterMs: after });

describe('decideRetry', () => {
  it('waits longer each time, never less than the server asks', () => {
    const waits = [1, 2, 3].map((tried) => decideRetry(busy(), tried, 1e9, 0.5));
    expect(waits).toEqual([1000, 2000, 4000].map((waitMs) => ({ kind: 'wait', waitMs })));
    expect(decideRetry(busy(7_000), 1, 1e9, 0)).toEqual({ kind: 'wait', waitMs: 7_000 });
  });

  it.each([
    [busy(), RETRY_POLICY.maxTries, 1e9, /after 5 tries/],
    [busy(3_600_000), 1, 1e9, /come back in 3600 s/],
    [busy(10_000), 1, 5_000, /no time is left/],
    [new ModelError('failed', 'bad key'), 1, 1e9, /bad key/],
    [new Error('bug'), 1, 1e9, /bug/],
  ])('gives up on %s', (error, tried, leftMs, why) => {
    expect(decideRetry(error, tried, leftMs, 0.5)).toEqual({
      kind: 'give-up',
      why: expect.stringMatching(why),
    });
  });
});

it('knows after which status the same request may succeed', () => {
  expect([200, 400, 401, 404, 408, 429, 500, 503, 529].filter(isBusyStatus)).toEqual([
    408, 429, 500, 503, 529,
  ]);
});
