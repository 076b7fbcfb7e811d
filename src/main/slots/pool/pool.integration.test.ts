import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitLine } from '../../git/git.ts';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';

describe('the slot pool', () => {
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop();
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  it('hands out a clean tree on a job branch and takes it back ready', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n', '.gitignore': 'ignored\n' });
    const head = await gitLine(['rev-parse', 'HEAD'], { cwd: repository.path });
    const claimed = await shop.claim(repository);
    await claimed.checkout(head, 'headway/job-1');
    expect(await agent(claimed.path, 'git status --porcelain; git symbolic-ref HEAD; git remote')).toBe(
      'refs/heads/headway/job-1\n',
    );
    await agent(claimed.path, 'echo two > a.txt; git commit -qam work; echo x > ignored; echo y > new');
    await claimed[Symbol.asyncDispose]();
    const [slot] = await shop.slots();
    expect(slot).toMatchObject({ state: 'ready', commit: head, jobId: undefined, runnerId: undefined });
    expect((await readdir(claimed.path)).sort()).toEqual(['.git', '.gitignore', 'a.txt']);
    expect(await readFile(join(claimed.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await agent(claimed.path, 'git branch --list; git stash list; git rev-parse HEAD')).toBe(
      `* (no branch)\n${head}\n`,
    );
  });

  it('moves a warm slot to a newer base', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n', 'gone.txt': 'x' });
    await shop.pool.warm(repository, 1, shop.plan);
    const next = await shop.commit(repository, { 'a.txt': 'two\n', 'gone.txt': undefined });
    await using claimed = await shop.claim(repository, next);
    expect(claimed.slot.commit).toBe(next);
    expect((await readdir(claimed.path)).sort()).toEqual(['.git', 'a.txt']);
    expect(await shop.slots()).toHaveLength(1);
  });

  it('hands out the slot that stands nearest', async () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}.txt`, '1\n']));
    const repository = await shop.repository(files);
    const far = await gitLine(['rev-parse', 'HEAD'], { cwd: repository.path });
    const near = await shop.commit(repository, { ...files, 'f0.txt': '2\n', 'f1.txt': '2\n' });
    const claimed = [await shop.claim(repository, near), await shop.claim(repository, far)];
    for (const one of claimed) {
      await one.checkout(one.slot.commit ?? '', 'headway/job');
      await one[Symbol.asyncDispose]();
    }
    const next = await shop.commit(repository, { 'f2.txt': '2\n' });
    await using best = await shop.claim(repository, next);
    expect(best.path).toBe(claimed[0]?.path);
  });

  it('creates, hands out and resets sixteen slots at once', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const slots = await shop.pool.warm(repository, 16, shop.plan);
    expect(slots).toHaveLength(16);
    for (let round = 0; round < 2; round += 1) {
      const claimed = await Promise.all(Array.from({ length: 16 }, () => shop.claim(repository)));
      expect(new Set(claimed.map((one) => one.path)).size).toBe(16);
      await Promise.all(
        claimed.map(async (one, index) => {
          await one.checkout(one.slot.commit ?? '', `headway/job-${index}`);
          await agent(one.path, `echo ${index} > a.txt; git commit -qam w; echo z > left`);
        }),
      );
      await Promise.all(claimed.map((one) => one[Symbol.asyncDispose]()));
    }
    const rows = await shop.slots();
    expect(rows.map((slot) => slot.state)).toEqual(Array.from({ length: 16 }, () => 'ready'));
    expect(await gitLine(['branch', '--list'], { cwd: repository.path })).toBe('* main');
    const mirror = shop.pool.mirror(repository).path;
    expect(await gitLine(['for-each-ref', '--format=%(refname)'], { cwd: mirror })).toBe('refs/heads/main');
    expect(await agent(shop.directory, "find . -name .trash -prune -o -name '*.lock' -print")).toBe('');
    for (const { path } of rows) {
      expect(await agent(path, 'git for-each-ref; git status --porcelain; git stash list; cat a.txt')).toBe(
        'one\n',
      );
    }
  });

  it('never touches the clone when its worktree administration is broken', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    await agent(repository.path, 'git checkout -qb feature/mine; echo edit >> a.txt; : > .git/worktrees');
    await using claimed = await shop.claim(repository);
    await agent(claimed.path, 'echo x > I_WAS_HERE');
    expect(await agent(repository.path, 'git status --porcelain; git branch --show-current')).toBe(
      ' M a.txt\nfeature/mine\n',
    );
  });

  it('tells git’s words and leaves nothing where a slot can not be made', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const head = await gitLine(['rev-parse', 'HEAD'], { cwd: repository.path });
    const blob = await gitLine(['rev-parse', 'HEAD:a.txt'], { cwd: repository.path });
    const mirror = shop.pool.mirror(repository);
    await mirror.fetch();
    await agent(
      mirror.path,
      `find objects -name '*.pack' -delete; rm -f objects/${blob.slice(0, 2)}/${blob.slice(2)}`,
    );
    await expect(shop.claim(repository, head)).rejects.toThrow(/no slot|not in/);
    expect(await shop.slots()).toEqual([]);
    expect(existsSync(join(mirror.path, '..', 's1'))).toBe(false);
  });

  it('forgets a slot whose directory was removed, and never uses a directory made by hand', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const [first] = await shop.pool.warm(repository, 1, shop.plan);
    await rm(first?.path ?? '', { recursive: true });
    await mkdir(first?.path ?? '');
    await writeFile(join(first?.path ?? '', 'mine'), 'by hand');
    await shop.pool.recover();
    await using claimed = await shop.claim(repository);
    expect(claimed.path).not.toBe(first?.path);
    expect(await readFile(join(first?.path ?? '', 'mine'), 'utf8')).toBe('by hand');
  });

  it('is made anew once where two processes are asked to at the same moment', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const [slot] = await shop.pool.warm(repository, 1, shop.plan);
    const id = slot?.id ?? '';
    await shop.records.transition(id, ['ready'], { state: 'quarantined', reason: 'for this test' });
    const asked = [shop.pool, shop.nextRunner('runner-2')].map((pool) => pool.rebuild(id));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((one) => one.status === 'rejected')?.reason;
    expect(refused).toMatchObject({
      code: 'not-allowed',
      message: expect.stringContaining(`${id} is warming`),
    });
    expect(await shop.slots()).toMatchObject([{ id, state: 'ready', reason: undefined }]);
  });

  it('is not forgotten while another process makes it anew', async () => {
    const repository = await shop.repository({ 'a.txt': 'one\n' });
    const [slot] = await shop.pool.warm(repository, 1, shop.plan);
    const id = slot?.id ?? '';
    const list = shop.records.list.bind(shop.records);
    let rebuilt: Promise<unknown> | undefined;
    const late = shop.nextRunner('runner-late');
    shop.records.list = async (repoId) => {
      const rows = await list(repoId);
      shop.records.list = list;
      await rm(slot?.path ?? '', { recursive: true });
      rebuilt = shop.records.transition(id, ['ready'], { state: 'warming', runnerId: 'runner-1' });
      await rebuilt;
      return rows;
    };
    await late.recover();
    expect(rebuilt).toBeDefined();
    expect(await shop.slots()).toMatchObject([{ id, state: 'warming', runnerId: 'runner-1' }]);
    await shop.records.transition(id, ['warming'], { state: 'quarantined' });
  });

  it.each(["it's a repo", '-rf', 'dépôt 倉庫', 'with"quote'])(
    'works for a repository called %s',
    async (name) => {
      const repository = await shop.repository({ 'a.txt': 'one\n' }, name);
      await using claimed = await shop.claim(repository);
      await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
      expect(await readFile(join(claimed.path, 'a.txt'), 'utf8')).toBe('one\n');
    },
  );
});
