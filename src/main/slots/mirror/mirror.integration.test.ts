import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';

describe('the mirror of a repository', () => {
  let shop: Workshop;
  let repository: Repository;
  beforeEach(async () => {
    shop = await openWorkshop();
    repository = await shop.repository({ 'a.txt': 'one\n', 'sub/b.txt': 'b' });
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });
  const inClone = (script: string): Promise<string> =>
    agent(
      repository.path,
      `export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@x.invalid GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@x.invalid; ${script}`,
    );

  it('follows heads as they move, are rewritten, removed and replaced by directories', async () => {
    const mirror = shop.pool.mirror(repository);
    await inClone('git branch topic');
    const old = (await inClone('git rev-parse HEAD')).trim();
    await mirror.fetch();
    expect(await mirror.baseCommit('topic')).toBe(old);
    await inClone(
      'git branch -D topic; git branch topic/deep; git commit -q --amend --allow-empty -m rewritten',
    );
    await Promise.all([mirror.fetch(), mirror.fetch(), mirror.fetch()]);
    expect(await mirror.baseCommit('topic')).toBeUndefined();
    expect(await mirror.baseCommit('topic/deep')).toBe(old);
    expect(await mirror.baseCommit('main')).not.toBe(old);
    await using claimed = await shop.claim(repository, old);
    expect(claimed.slot.commit).toBe(old);
  });

  it('knows the base on a remote as of the clone’s own fetch', async () => {
    await inClone('git update-ref refs/remotes/origin/main HEAD; git commit -q --allow-empty -m local');
    const mirror = shop.pool.mirror(repository);
    expect(await mirror.baseCommit('origin/main')).toBe((await inClone('git rev-parse HEAD~1')).trim());
  });

  it('brings a commit that no head leads to, and says where one is missing', async () => {
    const mirror = shop.pool.mirror(repository);
    const loose = (await inClone('git commit-tree HEAD^{tree} -p HEAD -m loose')).trim();
    await mirror.ensureCommit(loose);
    expect((await mirror.files(loose)).map(({ path }) => path)).toEqual(['a.txt', 'sub/b.txt']);
    await expect(mirror.ensureCommit('f'.repeat(40))).rejects.toThrow(/ffffffffffff is not in .*repo/);
    await expect(mirror.ensureCommit('HEAD')).rejects.toThrow(/no commit id/);
  });

  it('reads files as bytes, and nothing where there is no file', async () => {
    await mkdir(join(repository.path, 'bin'));
    await writeFile(join(repository.path, 'bin', 'x'), Buffer.from([0, 255, 10, 13, 10]));
    const commit = await shop.commit(repository, {});
    const mirror = shop.pool.mirror(repository);
    await mirror.ensureCommit(commit);
    expect(Buffer.from((await mirror.readFile(commit, 'bin/x')) ?? [])).toEqual(
      Buffer.from([0, 255, 10, 13, 10]),
    );
    expect(await mirror.readFile(commit, 'bin')).toBeUndefined();
    expect(await mirror.readFile(commit, 'none')).toBeUndefined();
  });

  it('serves slots of a shallow clone', async () => {
    await shop.commit(repository, { 'a.txt': 'two\n' });
    const path = join(shop.directory, 'shallow');
    await agent(shop.directory, `git clone -q --depth 1 'file://${repository.path}' '${path}'`);
    const shallow = { ...repository, id: 'shallow', path, gitDir: join(path, '.git') };
    await using claimed = await shop.claim(shallow);
    expect(await agent(claimed.path, 'git log --format=%s; cat a.txt')).toBe('change\ntwo\n');
  });

  describe.each(['blob:none', 'tree:0'])('of a partial clone (%s)', (filter) => {
    const partialClone = async (): Promise<Repository> => {
      await inClone('git config uploadpack.allowFilter true');
      for (const text of ['two\n', 'three\n'])
        await shop.commit(repository, { 'a.txt': text, 'sub/b.txt': text });
      const path = join(shop.directory, 'partial');
      await agent(shop.directory, `git clone -q --filter=${filter} 'file://${repository.path}' '${path}'`);
      return { ...repository, id: 'partial', path, gitDir: join(path, '.git') };
    };

    it('has the whole history: what the clone lacks comes from its remote', async () => {
      const partial = await partialClone();
      await using claimed = await shop.claim(partial);
      expect(await agent(claimed.path, 'git show HEAD~2:a.txt; cat sub/b.txt')).toBe('one\nthree\n');
    });

    it('says what is missing and what brings it where the remote is not there', async () => {
      const partial = await partialClone();
      const away = `${repository.path}-away`;
      await rename(repository.path, away);
      const mirror = shop.pool.mirror(partial);
      await expect(mirror.fetch()).rejects.toThrow(/is a partial clone .*git fetch --refetch --no-filter/);
      await rename(away, repository.path);
      await agent(partial.path, 'git fetch -q --refetch --no-filter');
      await rename(repository.path, away);
      await mirror.fetch();
      await using claimed = await shop.claim(partial);
      expect(await agent(claimed.path, 'git show HEAD~2:a.txt')).toBe('one\n');
    });
  });

  it('has no way from a slot into the clone', async () => {
    await using claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    expect(
      await agent(
        claimed.path,
        'git remote; git config push.default; git config --get-regexp "^remote" || true',
      ),
    ).toBe('nothing\n');
    await expect(agent(claimed.path, 'git push')).rejects.toThrow();
  });
});
