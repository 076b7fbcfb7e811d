import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, openWorkshop, type Workshop } from '../slots/testing/workshop.ts';

describe('what slots take on the disk', () => {
  let shop: Workshop;
  let budget = Number.POSITIVE_INFINITY;
  beforeEach(async () => {
    budget = Number.POSITIVE_INFINITY;
    shop = await openWorkshop({ diskBudgetBytes: () => budget });
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  it('is measured, each file once, without what lies behind links', async () => {
    const repository = await shop.repository({ 'big.bin': 'x'.repeat(600_000), 'a.txt': 'a' });
    await shop.pool.warm(repository, 1, shop.plan);
    const [slot] = await shop.slots();
    await agent(
      slot?.path ?? '',
      `mkdir -p .git/info/x; ln big.bin .git/info/x/again; ln -s '${shop.directory}' .git/info/x/out`,
    );
    await shop.pool.tidy();
    const [measured] = await shop.slots();
    expect(measured?.sizeBytes).toBeGreaterThan(600_000);
    expect(measured?.sizeBytes).toBeLessThan(1_100_000);
    expect(measured?.measuredAt).toBeGreaterThan(0);
  });

  it('is kept within the budget: the slot used longest ago goes, with its reason, and nothing kept is lost', async () => {
    const repository = await shop.repository({ 'big.bin': 'x'.repeat(400_000) });
    const [a, b] = [await shop.claim(repository), await shop.claim(repository)];
    await agent(a.path, 'echo w > work.txt');
    const ref = await a.keep('job-1/1');
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    const held = await shop.claim(repository);
    budget = 1;
    await shop.pool.tidy();
    const left = await shop.slots();
    // Claimed, and never a candidate: the size of what is left does not matter.
    expect(left.map(({ path }) => path)).toContain(held.path);
    expect(existsSync(join(held.path, 'big.bin'))).toBe(true);
    const gone = [a, b].find(({ path }) => path !== held.path);
    expect(left).toHaveLength(1);
    expect(existsSync(gone?.path ?? '')).toBe(false);
    expect(shop.changes.findLast(({ path }) => path === gone?.path)?.reason).toMatch(/^evicted: slots took /);
    const mirror = shop.pool.mirror(repository).path;
    expect(await agent(mirror, `git show ${ref}:work.txt`)).toBe('w\n');
    await held[Symbol.asyncDispose]();
    await using next = await shop.claim(repository);
    expect(existsSync(join(next.path, 'big.bin'))).toBe(true);
  });

  it('never takes one in quarantine, and a person who removes that keeps what was in it', async () => {
    const repository = await shop.repository({ 'a.txt': 'a\n' });
    const claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    await agent(claimed.path, 'echo w > work.txt');
    await shop.records.transition(claimed.slot.id, ['claimed'], { state: 'quarantined', reason: 'a test' });
    budget = 0;
    await shop.pool.tidy();
    expect(existsSync(join(claimed.path, 'work.txt'))).toBe(true);
    await shop.pool.remove(claimed.slot.id);
    expect(existsSync(claimed.path)).toBe(false);
    const mirror = shop.pool.mirror(repository).path;
    const [ref] = (await agent(mirror, 'git for-each-ref --format="%(refname)" refs/headway/kept')).split(
      '\n',
    );
    expect(ref).toMatch(/^refs\/headway\/kept\/removed-s1-/);
    expect(await agent(mirror, `git show ${ref}:work.txt`)).toBe('w\n');
  });
});
