import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReplayGuard } from './replay-guard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('holds through the frames of a replay and ends when nothing more comes', () => {
  const guard = new ReplayGuard();
  guard.begin(0, 60_000);
  for (let frame = 0; frame < 5; frame += 1) {
    vi.advanceTimersByTime(200);
    guard.received();
    vi.advanceTimersByTime(2000);
    guard.parsed();
    expect(guard.replaying).toBe(true);
  }
  vi.advanceTimersByTime(250);
  expect(guard.replaying).toBe(false);
});

it('takes a session that has just begun as live', () => {
  const guard = new ReplayGuard();
  guard.begin(60_000, 61_000);
  expect(guard.replaying).toBe(false);
});

it('ends where a person types, and where there was nothing to replay', () => {
  const typed = new ReplayGuard();
  typed.begin(0, 60_000);
  typed.end();
  expect(typed.replaying).toBe(false);
  const empty = new ReplayGuard();
  empty.begin(0, 60_000);
  vi.advanceTimersByTime(250);
  expect(empty.replaying).toBe(false);
});
