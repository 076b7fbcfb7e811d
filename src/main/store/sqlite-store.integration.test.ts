import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';
import { queuedJob as job } from './testing/queued-job.ts';

let dir: string;
let file: string;
const open: Store[] = [];

function openStore(): Store {
  const store = openSqliteStore(file);
  open.push(store);
  return store;
}

/** Knows every job that may run in these tests. */
const EVERY = { has: () => true } as unknown as ReadonlySet<string>;
const by = (runnerId: string, atMs: number) => ({ runnerId, atMs, knownRunning: EVERY });
const lease = (jobId: string, runnerId: string, attempt = 1) => ({ jobId, attempt, runnerId });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-store-'));
  file = join(dir, 'headway.db');
});
afterEach(async () => {
  for (const store of open.splice(0)) await store[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

describe('jobs', () => {
  it('come back as they were written, in the order of their changes', async () => {
    const store = openStore();
    const [a, b] = await store.jobs.insert([job('a'), job('b')]);
    expect((await store.jobs.changedSince(0)).map((row) => row.id)).toEqual(['a', 'b']);
    await store.jobs.transition('a', ['queued'], { state: 'held', cause: { code: 'held-by-person' } });
    expect(await store.jobs.changedSince(b?.seq ?? 0)).toEqual([
      { ...a, state: 'held', cause: { code: 'held-by-person' }, seq: 3 },
    ]);
    expect(await store.seq()).toBe(3);
  });

  it('are claimed once, whoever asks', async () => {
    const one = openStore();
    const two = openStore();
    await one.jobs.insert(Array.from({ length: 40 }, (_, index) => job(`j${index}`)));
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, index) => index).flatMap((index) => [
        one.jobs.claim(`j${index}`, by('one', 5)),
        two.jobs.claim(`j${index}`, by('two', 5)),
      ]),
    );
    const won = claims.flatMap((claim) => claim?.job.id ?? []);
    expect(won.toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `j${index}`).toSorted());
  });

  it('are not claimed by a process that does not know of all that run', async () => {
    const store = openStore();
    await store.jobs.insert([job('a'), job('b')]);
    await store.jobs.claim('a', by('one', 5));
    expect(await store.jobs.claim('b', { ...by('two', 5), knownRunning: new Set() })).toBeUndefined();
    expect(await store.jobs.claim('b', { ...by('two', 5), knownRunning: new Set(['a']) })).toBeDefined();
  });

  it('refuse what an attempt writes whose number is not the newest', async () => {
    const store = openStore();
    await store.jobs.insert([job('a')]);
    const first = await store.jobs.claim('a', by('one', 5));
    await store.jobs.takeOver(['one'], 20);
    const second = await store.jobs.claim('a', by('two', 30));
    expect(second?.lease.attempt).toBe(2);
    if (!first || !second) throw new Error('not claimed');
    expect(await store.jobs.update(first.lease, { state: 'merged' })).toBeUndefined();
    expect(await store.jobs.lost([first.lease, second.lease])).toEqual([first.lease]);
    await store.jobs.putAttempt(first.lease, { baseCommit: 'late' });
    expect(
      (await store.jobs.attempts('a')).map(({ number, outcome, baseCommit }) => [
        number,
        outcome,
        baseCommit,
      ]),
    ).toEqual([
      [1, 'lost', undefined],
      [2, undefined, undefined],
    ]);
    expect(
      (await store.jobs.update(second.lease, { state: 'merged' }, { outcome: 'merged', atMs: 50 }))?.state,
    ).toBe('merged');
  });

  it('are one for one key while they are open, however many processes ask at once', async () => {
    const [one, two] = [openStore(), openStore()];
    const [first, second, third] = await Promise.all([
      one.jobs.insert([job('a', { key: 'same' })]),
      two.jobs.insert([job('b', { key: 'same' })]),
      one.jobs.insertWithin([job('c', { key: 'same' })], 10),
    ]);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(await one.jobs.changedSince(0)).toHaveLength(1);
  });

  it('leave running attempts of live runners alone when another one is lost', async () => {
    const store = openStore();
    await store.jobs.insert([job('a'), job('b')]);
    await store.jobs.claim('a', by('one', 5));
    await store.jobs.claim('b', by('two', 5));
    expect((await store.jobs.takeOver(['one'], 20)).map((row) => row.id)).toEqual(['a']);
    expect((await store.jobs.get('b'))?.state).toBe('running');
  });

  it('are found by their newest submission of one key', async () => {
    const store = openStore();
    await store.jobs.insert([job('a', { key: 'same', state: 'merged' }), job('b', { key: 'same' })]);
    expect((await store.jobs.byKey('same'))?.id).toBe('b');
    expect(await store.jobs.byKey('other')).toBeUndefined();
  });
});

describe('the rest', () => {
  it('keeps an effect once per key, with what was first intended', async () => {
    const store = openStore();
    await store.jobs.insert([job('a')]);
    await store.jobs.claim('a', by('one', 5));
    const effect = { key: 'k', jobId: 'a', kind: 'merge' as const, state: 'intended' as const, createdAt: 1 };
    const intend = (commit: string) =>
      store.effects.intend({ ...effect, data: { commit } }, lease('a', 'one'));
    await intend('1');
    expect((await intend('2'))?.data).toEqual({ commit: '1' });
    await store.effects.settle('k', 'failed', { commit: '1' }, 2);
    expect(await store.effects.open()).toEqual([]);
    expect(await intend('3')).toMatchObject({ state: 'intended', data: { commit: '3' } });
    await store.effects.settle('k', 'done', { commit: '3' }, 2);
    expect(await intend('4')).toMatchObject({ state: 'done', data: { commit: '3' } });
    expect(await store.effects.open()).toEqual([]);
  });

  it('takes no intent from an attempt that was taken over', async () => {
    const store = openStore();
    await store.jobs.insert([job('a')]);
    await store.jobs.claim('a', by('one', 5));
    await store.jobs.takeOver(['one'], 6);
    const effect = {
      key: 'k',
      jobId: 'a',
      kind: 'merge',
      state: 'intended',
      createdAt: 1,
      data: {},
    } as const;
    expect(await store.effects.intend(effect, lease('a', 'one'))).toBeUndefined();
    expect(await store.effects.open()).toEqual([]);
  });

  it('moves a slot only from a state that was expected', async () => {
    const store = openStore();
    await store.slots.insert({ id: 's', repoId: 'r', path: '/p', state: 'ready', usedAt: 1, updatedAt: 1 });
    expect((await store.slots.transition('s', ['ready'], { state: 'claimed', jobId: 'a' }))?.jobId).toBe('a');
    expect(await store.slots.transition('s', ['ready'], { state: 'claimed', jobId: 'b' })).toBeUndefined();
    expect(
      (await store.slots.transition('s', ['claimed'], { state: 'ready', jobId: undefined }))?.jobId,
    ).toBeUndefined();
  });

  it('gives a lock to one attempt at a time, and to the next when that one has ended or was taken over', async () => {
    const store = openStore();
    await store.jobs.insert([job('a'), job('b'), job('c')]);
    for (const [id, runner] of [
      ['a', 'one'],
      ['b', 'two'],
      ['c', 'two'],
    ] as const)
      await store.jobs.claim(id, by(runner, 5));
    const [a, b, c] = [lease('a', 'one'), lease('b', 'two'), lease('c', 'two')];
    expect(await store.locks.tryAcquire('m', a)).toEqual({ held: true, by: a });
    expect(await store.locks.tryAcquire('m', b)).toEqual({ held: false, by: a });
    expect(await store.locks.tryAcquire('m', a)).toEqual({ held: true, by: a });
    await store.jobs.takeOver(['one'], 6);
    expect(await store.locks.tryAcquire('m', b)).toEqual({ held: true, by: b });
    await store.locks.release('m', a);
    expect((await store.locks.tryAcquire('m', c)).by).toEqual(b);
    await store.jobs.update(b, { state: 'failed' }, { outcome: 'failed', atMs: 7 });
    expect((await store.locks.tryAcquire('m', c)).held).toBe(true);
    await store.locks.release('m', c);
    expect((await store.locks.tryAcquire('m', a)).held).toBe(true);
  });

  it('notices what another connection changed, and only that', async () => {
    const one = openStore();
    const two = openStore();
    one.changedElsewhere();
    await one.jobs.insert([job('a')]);
    expect(one.changedElsewhere()).toBe(false);
    await two.jobs.insert([job('b')]);
    expect(one.changedElsewhere()).toBe(true);
    expect(one.changedElsewhere()).toBe(false);
  });

  it('waits for a busy database without blocking the process or losing the order', async () => {
    const store = openStore();
    const holder = new Database(file);
    holder.exec('BEGIN IMMEDIATE');
    const first = store.jobs.insert([job('a')]);
    const second = store.jobs.insert([job('b')]);
    const turns = await new Promise<string>((resolve) => setImmediate(() => resolve('the event loop turns')));
    expect(turns).toBe('the event loop turns');
    holder.exec('ROLLBACK');
    holder.close();
    await Promise.all([first, second]);
    expect((await store.jobs.changedSince(0)).map((row) => row.order)).toEqual([1, 2]);
  });

  it('refuses a database of a newer Headway and names the way out', async () => {
    await openStore()[Symbol.asyncDispose]();
    open.length = 0;
    const raw = new Database(file);
    raw.pragma('user_version = 999');
    raw.close();
    expect(() => openSqliteStore(file)).toThrow(/newer Headway.*Update Headway/);
  });

  it('says which directory cannot be used', () => {
    expect(() => openSqliteStore('/proc/nowhere/headway.db')).toThrow(
      /\/proc\/nowhere cannot be used.*HEADWAY_HOME/,
    );
  });
});
