import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { processStarted } from '../processes/process-table.ts';
import type { Runner } from '../store/store.ts';
import { createRunner, RUNNER_TIMING } from './runner.ts';

const HOUR_MS = 3_600_000;
const { heartbeatMs, hungAfterMs } = RUNNER_TIMING;

/** Two times that move apart: the wall clock may jump, the other one only goes on. */
class Clock {
  wallMs = Date.UTC(2026, 2, 29, 0, 30);
  monotonicMs = 1_000;

  now = (): number => this.wallMs;
  monotonic = (): number => this.monotonicMs;

  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }
}

function rows() {
  const runners = new Map<string, Runner>();
  return {
    runners: {
      list: async () => [...runners.values()],
      put: async (runner: Runner) => void runners.set(runner.id, runner),
      remove: async (id: string) => void runners.delete(id),
    },
  };
}

/** Two runners on one store, each with a clock of its own; both processes exist, since it is this one. */
async function pair() {
  const store = rows();
  const clocks = { one: new Clock(), two: new Clock() };
  const one = createRunner(store, clocks.one);
  const two = createRunner(store, clocks.two);
  await one.register();
  await two.register();
  /** Real time passes for both; `one` beats as often as it should, `two` looks as often. */
  const pass = async (ms: number, options: { beats: boolean }): Promise<string[]> => {
    for (let passed = 0; passed < ms; passed += heartbeatMs) {
      for (const clock of Object.values(clocks)) clock.pass(heartbeatMs);
      if (options.beats) await one.beat();
      const { gone, hung } = await two.lost();
      if (gone.length + hung.length > 0) return [...gone, ...hung];
    }
    return [];
  };
  return { one, two, clocks, store, pass };
}

describe('a runner that works', () => {
  it.each([
    ['an hour ahead', HOUR_MS],
    ['an hour back', -HOUR_MS],
    ['by a daylight saving change of its own', HOUR_MS],
    ['to the same second again and again', 0],
  ])('keeps its jobs when its clock jumps %s', async (_what, jumpMs) => {
    const { clocks, pass } = await pair();
    expect(await pass(30_000, { beats: true })).toEqual([]);
    clocks.one.wallMs += jumpMs;
    expect(await pass(5 * 60_000, { beats: true })).toEqual([]);
  });

  it('keeps its jobs when the clock of the one that looks jumps', async () => {
    const { clocks, pass } = await pair();
    await pass(30_000, { beats: true });
    clocks.two.wallMs += HOUR_MS;
    expect(await pass(60_000, { beats: true })).toEqual([]);
    clocks.two.wallMs -= 2 * HOUR_MS;
    expect(await pass(60_000, { beats: true })).toEqual([]);
  });

  it('keeps its jobs although its wall clock stands still', async () => {
    const { clocks, pass } = await pair();
    const { one } = clocks;
    one.now = () => one.wallMs - one.monotonicMs;
    expect(await pass(5 * 60_000, { beats: true })).toEqual([]);
  });

  it('keeps its jobs when the machine slept: both clocks went on, and it beats before it is looked at twice', async () => {
    const { one, two, clocks } = await pair();
    await two.lost();
    for (const clock of Object.values(clocks)) clock.pass(8 * HOUR_MS);
    await one.beat();
    expect(await two.lost()).toEqual({ gone: [], hung: [] });
  });
});

describe('a runner that hangs', () => {
  it.each([
    ['that is right', 0],
    ['an hour back', -HOUR_MS],
    ['an hour ahead', HOUR_MS],
  ])('loses its jobs within two of its times, whatever a clock %s says', async (_what, jumpMs) => {
    const { one, clocks, pass } = await pair();
    await pass(30_000, { beats: true });
    clocks.two.wallMs += jumpMs;
    const startedMs = clocks.two.monotonicMs;
    expect(await pass(10 * 60_000, { beats: false })).toEqual([one.id]);
    expect(clocks.two.monotonicMs - startedMs).toBeLessThanOrEqual(2 * hungAfterMs);
  });

  it('still exists: what it holds on disk is not for others until its process is gone', async () => {
    const { one, two, pass, store } = await pair();
    await pass(10 * 60_000, { beats: false });
    expect(await two.exists(one.id)).toBe(true);
    const [row] = (await store.runners.list()).filter(({ id }) => id === one.id);
    await store.runners.put({ ...(row as Runner), started: 'another process of that id' });
    expect(await two.exists(one.id)).toBe(false);
    expect(await two.lost()).toEqual({ gone: [one.id], hung: [] });
  });

  it('is not hung any more once it beats again', async () => {
    const { one, two, pass } = await pair();
    await pass(10 * 60_000, { beats: false });
    await one.beat();
    expect(await two.lost()).toEqual({ gone: [], hung: [] });
  });
});

describe('a runner on another machine', () => {
  it('is never taken for gone by a process id of this one', async () => {
    const { two, store } = await pair();
    await store.runners.put({
      id: 'far',
      pid: 2 ** 22 + 1,
      started: (await processStarted(process.pid)) ?? '',
      host: `not-${hostname()}`,
      beat: 1,
      heartbeatAt: 0,
    });
    expect((await two.lost()).gone).toEqual([]);
  });

  it('loses its jobs when it is silent, and what it holds on disk when it is silent for ten times as long', async () => {
    const { one, two, clocks, store } = await pair();
    const [row] = (await store.runners.list()).filter(({ id }) => id === one.id);
    await store.runners.put({ ...(row as Runner), host: 'the same name, another container', started: 'x' });
    expect(await two.lost()).toEqual({ gone: [], hung: [] });
    clocks.two.pass(hungAfterMs + 1);
    expect(await two.lost()).toEqual({ gone: [], hung: [one.id] });
    expect(await two.exists(one.id)).toBe(true);
    clocks.two.pass(9 * hungAfterMs);
    expect(await two.lost()).toEqual({ gone: [one.id], hung: [] });
    expect(await two.exists(one.id)).toBe(false);
  });
});
