import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRepositoryRegistry } from '../repositories/registry.ts';
import { createSettings } from '../settings/settings.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { Scratch } from '../testing/scratch.ts';

let scratch: Scratch;
let stores: Store[];
beforeEach(() => {
  scratch = new Scratch('headway-side');
  stores = [1, 2].map(() => openSqliteStore(join(scratch.root, 'headway.db')));
});
afterEach(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]();
  scratch.remove();
});

const both = <T>(make: (store: Store) => T): [T, T] => {
  const [one, two] = stores as [Store, Store];
  return [make(one), make(two)];
};

describe('two processes on one data directory', () => {
  it('that change different settings at the same moment keep both', async () => {
    const [one, two] = both((store) => createSettings(store, () => undefined));
    const [mine, theirs] = [await one, await two];
    await Promise.all([
      mine.set({ maxJobs: 3 }),
      theirs.set({ maxInstalls: 2 }),
      mine.set({ maxQueued: 77 }),
      theirs.set({ maxJobsPerUser: 5 }),
    ]);
    const expected = { maxJobs: 3, maxInstalls: 2, maxQueued: 77, maxJobsPerUser: 5 };
    expect(await stores[0]?.settings.get()).toMatchObject(expected);
  });

  it('keep an agreement and a base that were given to one repository at the same moment', async () => {
    const path = scratch.repository('repo', { 'a.txt': 'a\n' });
    scratch.git(path, 'branch', 'next');
    const quiet = { now: () => 1, onChange: () => undefined, onRemoved: () => undefined };
    const [one, two] = both((store) => createRepositoryRegistry({ store, ...quiet }));
    const known = await one.add(path, 'main');
    await two.load();
    await two.trust(known, 'agreed');
    await one.trust(known, 'agreed anew');
    await Promise.all([one.add(path), two.add(path, 'next')]);
    // What it holds was read before the base was set.
    await one.trust(known, 'agreed last');
    expect(await stores[1]?.repositories.list()).toMatchObject([
      { base: 'next', trustedHash: 'agreed last' },
    ]);
  });

  it('do not bring back a repository that one of them has removed', async () => {
    const path = scratch.repository('repo', { 'a.txt': 'a\n' });
    const quiet = { now: () => 1, onChange: () => undefined, onRemoved: () => undefined };
    const [one, two] = both((store) => createRepositoryRegistry({ store, ...quiet }));
    const known = await one.add(path);
    await two.load();
    await one.remove(known.id);
    await expect(two.trust(known, 'agreed')).rejects.toMatchObject({ code: 'not-found' });
    expect(await stores[0]?.repositories.list()).toEqual([]);
  });
});
