import { describe, expect, it } from 'vitest';
import { CallLimiter, type CallState, decideCall } from './call-limiter.ts';

const idle: CallState = { running: 0, lastStartMs: undefined, pausedUntilMs: 0 };

describe('decideCall', () => {
  it('starts the first call at once, the next after a gap, and a third when one has ended', () => {
    expect(decideCall(idle, 1000)).toEqual({ kind: 'start' });
    expect(decideCall({ ...idle, running: 1, lastStartMs: 1000 }, 1100)).toEqual({
      kind: 'wait',
      untilMs: 1250,
    });
    expect(decideCall({ ...idle, running: 1, lastStartMs: 1000 }, 1250)).toEqual({ kind: 'start' });
    expect(decideCall({ ...idle, running: 2, lastStartMs: 1000 }, 9000)).toEqual({
      kind: 'wait',
      untilMs: undefined,
    });
  });

  it('holds every call while the service asks to wait', () => {
    expect(decideCall({ ...idle, pausedUntilMs: 5000 }, 1000)).toEqual({ kind: 'wait', untilMs: 5000 });
  });
});

describe('CallLimiter', () => {
  it('never runs more than two at once, keeps the order, and goes on after a call that failed', async () => {
    let now = 0;
    const limiter = new CallLimiter(() => (now += 1000));
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const calls = [0, 1, 2, 3, 4, 5].map((index) =>
      limiter.run(async () => {
        started.push(index);
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (index === 1) throw new Error('call 1');
        return index;
      }, new AbortController().signal),
    );
    const results = await Promise.allSettled(calls);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      ...Array(4).fill('fulfilled'),
    ]);
    expect(started).toEqual([0, 1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('tells how long it is paused, and lets a waiting call leave', async () => {
    const limiter = new CallLimiter(() => 0);
    limiter.pause(60_000);
    limiter.pause(5_000);
    expect(limiter.pausedMs).toBe(60_000);
    const leaving = new AbortController();
    const call = limiter.run(async () => 1, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(call).rejects.toThrow(/left|abort/i);
  });
});
