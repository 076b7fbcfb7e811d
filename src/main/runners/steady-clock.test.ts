import { describe, expect, it } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

const HOUR_MS = 3_600_000;

function clockAt(wallMs: number) {
  const times = { wallMs, monotonicMs: 50 };
  const clock = new SteadyClock({ now: () => times.wallMs, monotonic: () => times.monotonicMs });
  const pass = (ms: number): void => {
    times.wallMs += ms;
    times.monotonicMs += ms;
  };
  return { times, clock, pass };
}

describe('a pause before another attempt', () => {
  it.each([-HOUR_MS, HOUR_MS])(
    'lasts as long as it should although the wall clock jumps by %d ms',
    (jumpMs) => {
      const { times, clock, pass } = clockAt(1_000_000);
      const at = clock.due('j', 1_030_000) ?? 0;
      pass(10_000);
      times.wallMs += jumpMs;
      expect(clock.due('j', 1_030_000)).toBe(at);
      pass(19_999);
      expect(clock.now()).toBeLessThan(at);
      pass(1);
      expect(clock.now()).toBe(at);
    },
  );

  it('is not an hour long because another process wrote it before the clock was set back', () => {
    const { clock } = clockAt(1_000_000);
    expect((clock.due('j', 1_000_000 + HOUR_MS) ?? 0) - clock.now()).toBe(600_000);
  });

  it('is over where it lies in the past, and begins anew with another time', () => {
    const { clock } = clockAt(1_000_000);
    expect(clock.due('j', 5)).toBe(clock.now());
    expect(clock.due('j', 1_001_000)).toBe(clock.now() + 1_000);
    expect(clock.due('j', undefined)).toBeUndefined();
  });
});
