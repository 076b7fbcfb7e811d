import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Slot } from '../../../shared/domain.ts';
import type { Lease, Store, SubmitRules } from '../store.ts';
import { queuedJob as job } from '../testing/queued-job.ts';
import { openSqliteStore } from './sqlite-store.ts';

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

/** Room for so many queued jobs; a running one gives no way. */
const rules = (limit: number): SubmitRules => ({
  giveWay: ({ id, state }) => {
    if (state === 'running') throw new Error(`${id} is running`);
    return { state: 'cancelled' };
  },
  room: (queued, adding) => {
    if (queued + adding > limit) throw new Error(`no room: ${queued} and ${adding}`);
  },
});

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
      one.jobs.submit([job('c', { key: 'same' })], [], rules(1)),
    ]);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(await one.jobs.changedSince(0)).toHaveLength(1);
  });

  it('are one for one ticket, whatever its content and however many processes submit it at once', async () => {
    const [one, two] = [openStore(), openStore()];
    const contents = ['a', 'b', 'c', 'd'].map((id) => job(id, { ticket: { ...job('T').ticket } }));
    await Promise.all(
      contents.map((content, index) => (index % 2 ? one : two).jobs.submit([content], [], rules(1))),
    );
    const states = (await one.jobs.changedSince(0)).map(({ state }) => state).toSorted();
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled', 'queued']);
  });

  it('give no way to a ticket of the same name in another repository', async () => {
    const store = openStore();
    await store.jobs.insert([job('old', { repoId: 'other', ticket: job('T').ticket })]);
    const fresh = [job('a', { ticket: job('T').ticket }), job('b', { repoId: 'other' })];
    await store.jobs.submit(fresh, [], rules(3));
    expect((await store.jobs.get('old'))?.state).toBe('queued');
  });

  it('are tried again, unless they are done meanwhile, and open ones of their tickets give way', async () => {
    const store = openStore();
    const same = { ticket: job('T').ticket };
    await store.jobs.insert([
      job('a', { ...same, state: 'failed' }),
      job('b', same),
      job('m', { state: 'merged' }),
    ]);
    const again = ['a', 'm'].map((jobId) => ({ jobId, change: { state: 'queued' as const } }));
    const submitted = await store.jobs.submit([], again, rules(1));
    expect(submitted.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'queued'],
      ['m', 'merged'],
    ]);
    expect((await store.jobs.get('b'))?.state).toBe('cancelled');
  });

  it('are taken all or none: where there is no room, or one runs, nothing has given way', async () => {
    const store = openStore();
    await store.jobs.insert([job('waits'), job('runs')]);
    await store.jobs.claim('runs', by('one', 5));
    const before = await store.jobs.changedSince(0);
    const other = (id: string) => job(`other ${id}`, { ticket: job(id).ticket });
    const tooMany = [other('waits'), job('x'), job('y')];
    await expect(store.jobs.submit(tooMany, [], rules(2))).rejects.toThrow('no room: 0 and 3');
    await expect(store.jobs.submit([other('waits'), other('runs')], [], rules(9))).rejects.toThrow(
      'runs is running',
    );
    expect(await store.jobs.changedSince(0)).toEqual(before);
    expect(await store.jobs.submit([other('waits'), job('x')], [], rules(2))).toHaveLength(2);
    expect((await store.jobs.get('waits'))?.state).toBe('cancelled');
  });

  it('agree to the commands of their repository where they are taken, and only there', async () => {
    const store = openStore();
    const repository = { id: 'r', path: '/r', gitDir: '/r/.git', name: 'r', base: 'main', addedAt: 1 };
    await store.repositories.change('r', () => repository);
    const trust = { repoId: 'r', hash: 'h' };
    await expect(store.jobs.submit([job('x')], [], { ...rules(0), trust })).rejects.toThrow('no room');
    expect(await store.repositories.list()).toEqual([repository]);
    await store.jobs.submit([job('x')], [], { ...rules(1), trust });
    expect(await store.repositories.list()).toEqual([{ ...repository, trustedHash: 'h' }]);
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

  it('settles from outside only what no attempt works on', async () => {
    const store = openStore();
    await store.jobs.insert([job('a')]);
    await store.jobs.claim('a', by('one', 5));
    const effect = {
      key: 'k',
      jobId: 'a',
      kind: 'merge',
      state: 'intended',
      data: {},
      createdAt: 1,
    } as const;
    await store.effects.intend(effect, lease('a', 'one'));
    expect(await store.effects.settleOrphan('k', 'failed', {}, 2)).toBe(false);
    expect(await store.effects.open()).toHaveLength(1);
    await store.jobs.takeOver(['one'], 3);
    expect(await store.effects.settleOrphan('k', 'done', {}, 4)).toBe(true);
    expect(await store.effects.settleOrphan('k', 'failed', {}, 5)).toBe(false);
    expect(await store.effects.ofJob('a')).toMatchObject([{ state: 'done', settledAt: 4 }]);
  });

  it('takes a slot only where it is wanted beside the others of its repository', async () => {
    const store = openStore();
    const slot = (id: string, repoId: string): Slot => ({
      id,
      repoId,
      path: `/${id}`,
      state: 'warming',
      usedAt: 1,
      updatedAt: 1,
    });
    const first = (others: readonly Slot[]): boolean => others.length === 0;
    expect(await store.slots.insert(slot('a', 'r'), first)).toBe(true);
    expect(await store.slots.insert(slot('b', 'r'), first)).toBe(false);
    expect(await store.slots.insert(slot('c', 'other'), first)).toBe(true);
    expect((await store.slots.list()).map(({ id }) => id)).toEqual(['a', 'c']);
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

  it('gives a lock to whoever asked first, also between connections, and to nobody who is gone', async () => {
    const one = openStore();
    const two = openStore();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await one.jobs.insert(ids.map((id) => job(id)));
    const leases: Lease[] = [];
    for (const id of ids) {
      const claimed = await one.jobs.claim(id, { runnerId: 'one', atMs: 1, knownRunning: new Set(ids) });
      if (claimed) leases.push(claimed.lease);
    }
    const [a, b, c, d, e] = leases as [Lease, Lease, Lease, Lease, Lease];
    const ask = (store: Store, lease: Lease) => store.locks.tryAcquire('m', lease);
    await ask(one, a);
    for (const [store, lease] of [
      [two, d],
      [one, c],
      [two, b],
      [one, e],
    ] as const)
      await ask(store, lease);
    // Asking again gives no other place.
    await ask(one, e);
    await ask(two, d);
    await one.jobs.update(c, { state: 'failed' }, { outcome: 'failed', atMs: 2 });
    await one.locks.release('m', a);
    expect(await ask(one, b)).toEqual({ held: false, by: d });
    expect(await ask(one, e)).toEqual({ held: false, by: d });
    expect(await ask(one, a)).toEqual({ held: false, by: d });
    expect(await ask(two, d)).toEqual({ held: true, by: d });
    await two.locks.release('m', d);
    expect(await ask(one, e)).toEqual({ held: false, by: b });
    expect(await ask(one, b)).toEqual({ held: true, by: b });
    await one.locks.release('m', b);
    expect(await ask(one, a)).toEqual({ held: false, by: e });
    expect(await ask(one, e)).toEqual({ held: true, by: e });
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

  it('finds the jobs of a ticket in a database from before there were indexes of them', async () => {
    const before = openStore();
    await before.jobs.insert([job('old', { ticket: job('T').ticket })]);
    await before[Symbol.asyncDispose]();
    open.length = 0;
    const raw = new Database(file);
    raw.exec('DROP INDEX job_ticket; DROP INDEX job_queued; DROP TABLE lock_line; PRAGMA user_version = 5');
    raw.close();
    const store = openStore();
    await store.jobs.submit([job('new', { ticket: job('T').ticket })], [], rules(1));
    expect((await store.jobs.get('old'))?.state).toBe('cancelled');
    const looked = new Database(file, { readonly: true });
    expect(looked.prepare("SELECT name FROM sqlite_schema WHERE name = 'job_ticket'").all()).toHaveLength(1);
    looked.close();
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
      // /proc is no disk, and so not a full one.
      /\/proc\/nowhere cannot be used: (?!its disk is full).*HEADWAY_HOME/,
    );
  });
});
