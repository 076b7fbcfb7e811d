import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';

describe('a warm-up', () => {
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop();
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  it('leaves the other ready slots to jobs while it works on one, and is not waited for by an install', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const go = join(shop.directory, 'go');
    const begun = join(shop.directory, 'begun');
    const slow = `echo x >> '${begun}'; while [ ! -f '${go}' ]; do sleep 0.02; done`;
    await shop.pool.warm(repository, 3, { ...shop.plan, setup: 'true' });
    const next = await shop.commit(repository, { 'a.txt': 'two\n' });
    const warming = shop.pool.warm(repository, 3, { ...shop.plan, setup: slow });
    try {
      while (!existsSync(begun)) await agent(shop.directory, 'sleep 0.02');
      const waits: string[] = [];
      const claimed = await Promise.all([shop.claim(repository, next), shop.claim(repository, next)]);
      const installed = await Promise.all(
        claimed.map((one) =>
          one.install({
            output: () => undefined,
            signal: AbortSignal.timeout(60_000),
            onWait: () => waits.push(one.slot.id),
          }),
        ),
      );
      expect(installed.map(({ kind }) => kind)).toEqual(['none', 'none']);
      expect(waits).toEqual([]);
      expect(existsSync(go)).toBe(false);
      for (const one of claimed) await one[Symbol.asyncDispose]();
    } finally {
      await writeFile(go, '');
    }
    await warming;
    const rows = await shop.slots();
    expect(rows.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
    expect(rows.every(({ commit }) => commit === next)).toBe(true);
  });

  it('waits for the slots that another runner is making, and makes none beside them', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const go = join(shop.directory, 'go');
    const begun = join(shop.directory, 'begun');
    const slow = `touch '${begun}'; while [ ! -f '${go}' ]; do sleep 0.02; done`;
    const other = shop.nextRunner('runner-2', async () => true);
    const first = shop.pool.warm(repository, 2, { ...shop.plan, setup: slow });
    while (!existsSync(begun)) await agent(shop.directory, 'sleep 0.02');
    const second = other.warm(repository, 2, { ...shop.plan, setup: slow });
    let ended = false;
    void second.then(() => {
      ended = true;
    });
    // It has looked, and looked again.
    const listed = vi.spyOn(shop.records, 'list');
    await vi.waitFor(() => expect(listed.mock.calls.length).toBeGreaterThan(2));
    expect(ended).toBe(false);
    await writeFile(go, '');
    expect((await second).map(({ id }) => id)).toEqual((await first).map(({ id }) => id));
    expect((await shop.slots()).map(({ state }) => state)).toEqual(['ready', 'ready']);
  });

  it('makes as many with another runner at the same moment as alone', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const runners = ['runner-2', 'runner-3'].map((id) => shop.nextRunner(id, async () => true));
    const both = await Promise.all(runners.map((pool) => pool.warm(repository, 3, shop.plan)));
    const ids = (await shop.slots()).map(({ id }) => id).sort();
    expect(ids).toHaveLength(3);
    expect(both.map((slots) => slots.map(({ id }) => id).sort())).toEqual([ids, ids]);
  });

  it('does not wait for a runner that is gone', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const go = join(shop.directory, 'go');
    const begun = join(shop.directory, 'begun');
    const slow = `touch '${begun}'; while [ ! -f '${go}' ]; do sleep 0.02; done`;
    const other = shop.nextRunner('runner-2');
    const first = shop.pool.warm(repository, 1, { ...shop.plan, setup: slow });
    while (!existsSync(begun)) await agent(shop.directory, 'sleep 0.02');
    expect(await other.warm(repository, 1, shop.plan)).toHaveLength(1);
    await writeFile(go, '');
    await first;
  });

  it('does nothing to a slot that lacks nothing', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const plan = { ...shop.plan, setup: `echo x >> '${join(shop.directory, 'runs')}'` };
    await shop.pool.warm(repository, 2, plan);
    const seen = shop.changes.length;
    await shop.pool.warm(repository, 2, plan);
    expect(shop.changes.slice(seen)).toEqual([]);
    expect(await agent(shop.directory, 'cat runs')).toBe('x\nx\n');
  });
});
