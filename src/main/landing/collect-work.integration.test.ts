import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectWork } from './collect-work.ts';
import { IDENTITY, Sandbox } from './testing/sandbox.ts';

const TRAILERS = 'Headway-Job: j1\nHeadway-Ticket: T1\nHeadway-Agent: scripted';
const collect = (cwd: string, base: string): Promise<string | undefined> =>
  collectWork({ cwd, base, message: `T1: title\n\n${TRAILERS}\n`, trailers: TRAILERS, identity: IDENTITY });

describe('collectWork', () => {
  it('says nothing where nothing differs from the base, also after a change and its reversal', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    expect(await collect(slot, base)).toBeUndefined();
    await sandbox.commit(slot, { 'a.txt': 'b\n' }, 'there');
    await sandbox.commit(slot, { 'a.txt': 'a\n' }, 'and back');
    expect(await collect(slot, base)).toBeUndefined();
  });

  it("keeps the agent's own commit, author and text, and adds the trailers once", async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.write(slot, { 'b.txt': 'b\n' });
    await sandbox.git(slot, 'add', '--all');
    await sandbox.git(
      slot,
      'commit',
      '--quiet',
      '-m',
      'feat: ünï',
      '-m',
      'Body.\n\nSigned-off-by: A <a@b.c>',
    );
    const commit = (await collect(slot, base)) ?? '';
    expect(await sandbox.git(slot, 'log', '-1', '--format=%an|%cn|%P|%B', commit)).toBe(
      `A Person|Headway|${base}|feat: ünï\n\nBody.\n\nSigned-off-by: A <a@b.c>\n${TRAILERS}`,
    );
    expect(await sandbox.tip(slot)).toBe(commit);
    expect(await collect(slot, base)).toBe(commit);
  });

  it('puts uncommitted work on top with the given message', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    const own = await sandbox.commit(slot, { 'b.txt': 'b\n' }, 'own');
    await sandbox.write(slot, { 'c.txt': 'c\n' });
    const commit = (await collect(slot, base)) ?? '';
    expect(await sandbox.git(slot, 'log', '-1', '--format=%P|%an|%B', commit)).toBe(
      `${own}|Headway|T1: title\n\n${TRAILERS}`,
    );
  });

  it('finds work that the agent left on another branch', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.git(slot, 'switch', '--quiet', '-c', 'feature');
    await sandbox.commit(slot, { 'b.txt': 'b\n' }, 'own');
    await sandbox.git(slot, 'switch', '--quiet', 'main');
    const commit = (await collect(slot, base)) ?? '';
    expect(await sandbox.git(slot, 'show', `${commit}:b.txt`)).toBe('b');
    expect(await sandbox.read(slot, 'b.txt')).toBe('b\n');
  });

  it('puts onto the base what the agent changed in commits that were there before, and in a branch without history', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n' });
    await sandbox.commit(sandbox.repo, { 'old.txt': 'old\n' }, 'tip');
    for (const rewrite of [
      ['commit', '--quiet', '--amend', '-m', 'mine'],
      ['checkout', '--quiet', '--orphan', 'fresh'],
      ['checkout', '--quiet', 'HEAD~1'],
    ]) {
      const slot = await sandbox.slot();
      const base = await sandbox.tip(slot);
      await sandbox.git(slot, ...rewrite);
      await sandbox.write(slot, { 'b.txt': 'b\n' });
      if (rewrite.includes('--orphan')) await sandbox.commit(slot, {}, 'new');
      const commit = (await collect(slot, base)) ?? '';
      expect(await sandbox.git(slot, 'diff', '--name-status', base, commit)).toBe('A\tb.txt');
      expect(await sandbox.git(slot, 'log', '-1', '--format=%P|%B', commit)).toBe(
        `${base}|T1: title\n\n${TRAILERS}`,
      );
      expect(await sandbox.tip(slot)).toBe(commit);
      expect(await sandbox.git(slot, 'status', '--porcelain')).toBe('');
      expect(await sandbox.read(slot, 'old.txt')).toBe('old\n');
    }
  });

  it('refuses a rewritten commit that conflicts with the base, and a repository that was made anew', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n' });
    await sandbox.commit(sandbox.repo, { 'a.txt': 'b\n' }, 'tip');
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.git(slot, 'checkout', '--quiet', 'HEAD~1');
    await sandbox.commit(slot, { 'a.txt': 'other\n' }, 'mine');
    await expect(collect(slot, base)).rejects.toThrow(/rewrote commits .* conflicts with them in a\.txt/);

    const anew = await sandbox.slot();
    await rm(join(anew, '.git'), { recursive: true });
    await sandbox.git(anew, 'init', '--quiet');
    await sandbox.commit(anew, { 'c.txt': 'c\n' }, 'first');
    await expect(collect(anew, base)).rejects.toThrow('replaced the git repository');
  });

  it('refuses a committed link to a nested repository, and leaves a real submodule as it is', async () => {
    await using sandbox = await Sandbox.create();
    const first = await sandbox.tip(sandbox.repo);
    await mkdir(join(sandbox.repo, 'lib'));
    await sandbox.write(sandbox.repo, { '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n' });
    await sandbox.git(sandbox.repo, 'update-index', '--add', '--cacheinfo', `160000,${first},lib`);
    await sandbox.git(sandbox.repo, 'add', '.gitmodules');
    await sandbox.git(sandbox.repo, 'commit', '--quiet', '-m', 'submodule');
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.write(slot, { 'b.txt': 'b\n' });
    const commit = (await collect(slot, base)) ?? '';
    expect(await sandbox.git(slot, 'ls-tree', commit, 'lib')).toContain(`160000 commit ${first}`);
    await sandbox.git(slot, 'update-index', '--add', '--cacheinfo', `160000,${first},nested`);
    await mkdir(join(slot, 'nested'));
    await sandbox.git(slot, 'commit', '--quiet', '-m', 'nested');
    await expect(collect(slot, base)).rejects.toThrow('no submodule: nested');
  });
});
