import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, openWorkshop, type Workshop } from './testing/workshop.ts';

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
