import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processTable } from '../processes/table-identity.ts';
import { createRunner } from '../runners/runner.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.ts';

let root: string;
let store: Store;
let scheduler: Scheduler | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-scheduler-'));
  store = openSqliteStore(join(root, 'headway.db'));
});
afterEach(async () => {
  await scheduler?.stop();
  await store[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const BEAT_MS = 10;
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const nothing = () => undefined;

function schedulerThat(recover: SchedulerOptions['recover']): Scheduler {
  return createScheduler({
    store,
    runner: createRunner(store, clock, { heartbeatMs: BEAT_MS, hungAfterMs: 60_000 }),
    clock,
    caps: () => ({ machine: 1, repository: 1, repositories: {} }),
    accountOf: nothing,
    pauses: { refresh: async () => new Map(), nextEndMs: nothing },
    concerns: () => true,
    accepts: () => false,
    execute: async () => undefined,
    recover,
    beforeFirstPass: async () => undefined,
    onJob: nothing,
    onExplained: nothing,
    onOrder: nothing,
    onElsewhere: nothing,
    onProblem: nothing,
  });
}

const addDead = () =>
  store.runners.put({
    id: 'dead',
    pid: 2 ** 22 + 1,
    started: '1',
    host: processTable(),
    beat: 1,
    heartbeatAt: 1,
  });

it('recovers what a dead process held once, and goes on saying that it lives meanwhile', async () => {
  const recovered = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let recoveries = 0;
  scheduler = schedulerThat(async () => {
    recoveries += 1;
    recovered.resolve();
    await done.promise;
  });
  await scheduler.start();
  await addDead();
  await recovered.promise;

  const beats = async () => (await store.runners.list()).find(({ id }) => id !== 'dead')?.beat ?? 0;
  const before = await beats();
  while ((await beats()) < before + 3) await delay(BEAT_MS);
  expect(recoveries).toBe(1);
  expect(await store.runners.list()).toHaveLength(2);

  done.resolve();
  while ((await store.runners.list()).length > 1) await delay(BEAT_MS);
  expect(recoveries).toBe(1);
});

it('does not end its stop before a takeover that has begun', async () => {
  const recovered = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const order: string[] = [];
  scheduler = schedulerThat(async () => {
    recovered.resolve();
    await done.promise;
    order.push('taken over');
  });
  await scheduler.start();
  await addDead();
  await recovered.promise;
  const stopping = scheduler.stop().then(() => order.push('stopped'));
  await delay(BEAT_MS);
  done.resolve();
  await stopping;
  expect(order).toEqual(['taken over', 'stopped']);
  expect(await store.runners.list()).toHaveLength(1);
});
