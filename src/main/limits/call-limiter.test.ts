import { describe, expect, it } from 'vitest';
import { memoryDocument } from '../store/testing/memory-document.ts';
import { CallLimiter, type CallState, currentState, decideCall } from './call-limiter.ts';

const idle: CallState = { running: [] };
const running = (count: number, startedMs = 1000) =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index}`, by: 'one', startedMs }));
const open = new AbortController().signal;

describe('decideCall', () => {
  it('starts the first call at once, the next after a gap, and a third when one has ended', () => {
    expect(decideCall(idle, 1000)).toEqual({ kind: 'start' });
    const one = { running: running(1), lastStartMs: 1000 };
    expect(decideCall(one, 1100)).toEqual({ kind: 'wait', untilMs: 1250 });
    expect(decideCall(one, 1250)).toEqual({ kind: 'start' });
    const two = { running: running(2), lastStartMs: 1000 };
    expect(decideCall(two, 9000)).toEqual({ kind: 'wait', untilMs: undefined });
  });

  it('holds every call while the service asks to wait', () => {
    const paused = { ...idle, pause: { fromMs: 1000, waitMs: 4000 } };
    expect(decideCall(paused, 1000)).toEqual({ kind: 'wait', untilMs: 5000 });
    expect(decideCall(paused, 5000)).toEqual({ kind: 'start' });
  });
});

describe('what stands in the store', () => {
  it('counts no call for longer than any may take: its process died', () => {
    expect(currentState({ running: running(2) }, 1000 + 89_000).running).toHaveLength(2);
    expect(currentState({ running: running(2) }, 1000 + 91_000).running).toEqual([]);
  });

  it('is of another life of the machine where it lies ahead: its pause begins anew, its calls are over', () => {
    const stored = { running: running(2, 9e9), lastStartMs: 9e9, pause: { fromMs: 9e9, waitMs: 5000 } };
    expect(currentState(stored, 1000)).toEqual({ running: [], pause: { fromMs: 1000, waitMs: 5000 } });
  });

  it('is nothing where it cannot be read', () => {
    expect(currentState({ running: 'many' }, 1000)).toEqual(idle);
    expect(currentState(undefined, 1000)).toEqual(idle);
  });
});

describe('limiters of several processes', () => {
  it('never run more than two calls at once together, each in its own order, and go on after a call that failed', async () => {
    let now = 0;
    const shared = memoryDocument();
    const limiters = ['one', 'two'].map((owner) => new CallLimiter(shared, owner, () => (now += 1000)));
    const started: number[] = [];
    let live = 0;
    let most = 0;
    const calls = [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
      limiters[index % 2]?.run(async () => {
        started.push(index);
        live += 1;
        most = Math.max(most, live);
        await new Promise((resolve) => setImmediate(resolve));
        live -= 1;
        if (index === 1) throw new Error('call 1');
        return index;
      }, open),
    );
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(started.filter((index) => index % 2 === 0)).toEqual([0, 2, 4, 6]);
    expect(started.filter((index) => index % 2 === 1)).toEqual([1, 3, 5, 7]);
    expect(most).toBe(2);
  });

  it('are paused by what a service asked any of them, and a waiting call may leave', async () => {
    const shared = memoryDocument();
    const [one, two] = ['one', 'two'].map((owner) => new CallLimiter(shared, owner, () => 0)) as [
      CallLimiter,
      CallLimiter,
    ];
    await one.pause(60_000, open);
    await two.pause(5_000, open);
    expect(await two.pausedMs(open)).toBe(60_000);
    const leaving = new AbortController();
    const call = two.run(async () => 1, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(call).rejects.toThrow(/left|abort/i);
  });

  it('take the places of one that is gone', async () => {
    const shared = memoryDocument({ running: running(2) });
    const limiter = new CallLimiter(shared, 'two', () => 2000);
    const call = limiter.run(async () => 'ran', open);
    await limiter.forget(['one']);
    expect(await call).toBe('ran');
  });
});
