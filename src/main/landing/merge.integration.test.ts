import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFiles } from '../git/changed-files.ts';
import { commitMessage } from '../git/commit-message.ts';
import { commitLeftovers } from './commit-leftovers.ts';
import { findLanded } from './find-landed.ts';
import { land } from './land.ts';
import { mergeOnto } from './merge-onto.ts';
import { IDENTITY, Sandbox } from './testing/sandbox.ts';

const leftovers = (cwd: string, message = 'leftovers'): Promise<string | undefined> =>
  commitLeftovers({ cwd, message, identity: IDENTITY });

describe('mergeOnto', () => {
  it('returns the head where the base has not moved, and the base where the head is in it', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    const head = await sandbox.commit(slot, { 'b.txt': 'b\n' }, 'job');
    const both = { cwd: slot, message: 'm', identity: IDENTITY };
    expect(await mergeOnto({ ...both, base, head })).toEqual({ kind: 'fast-forward', commit: head });
    expect(await mergeOnto({ ...both, base: head, head: base })).toEqual({
      kind: 'fast-forward',
      commit: head,
    });
  });

  it('merges both sides with the base as first parent and leaves the work tree alone', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const head = await sandbox.commit(slot, { 'b.txt': 'b\n' }, 'job');
    const base = await sandbox.commit(sandbox.repo, { 'c.txt': 'c\n' }, 'person');
    await sandbox.mirror();
    await sandbox.write(slot, { 'b.txt': 'not committed\n' });
    const result = await mergeOnto({ cwd: slot, base, head, message: 'T1: merge\n', identity: IDENTITY });
    if (result.kind !== 'merged') throw new Error(`expected a merge, got ${result.kind}`);
    expect(await sandbox.git(slot, 'log', '-1', '--format=%P|%an|%ce|%s', result.commit)).toBe(
      `${base} ${head}|Headway|headway@localhost|T1: merge`,
    );
    const tree = await sandbox.git(slot, 'ls-tree', '--name-only', result.commit);
    expect(tree.split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(await sandbox.read(slot, 'b.txt')).toBe('not committed\n');
    expect(await sandbox.tip(slot)).toBe(head);
  });

  it('names every file in conflict, whatever the kind', async () => {
    await using sandbox = await Sandbox.create({ 'é ü.txt': 'a\n', 'gone.txt': 'g\n' });
    const slot = await sandbox.slot();
    const head = await sandbox.commit(
      slot,
      { 'é ü.txt': 'theirs\n', 'gone.txt': 'changed\n', 'both.txt': '1\n' },
      'job',
    );
    await rm(join(sandbox.repo, 'gone.txt'));
    const base = await sandbox.commit(sandbox.repo, { 'é ü.txt': 'ours\n', 'both.txt': '2\n' }, 'person');
    await sandbox.mirror();
    expect(await mergeOnto({ cwd: slot, base, head, message: 'm', identity: IDENTITY })).toEqual({
      kind: 'conflict',
      files: ['both.txt', 'gone.txt', 'é ü.txt'],
    });
  });
});

describe('commitLeftovers', () => {
  it('says nothing where nothing was left', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    expect(await leftovers(slot)).toBeUndefined();
  });

  it('commits edits, new files, deletions, modes, links and renames, but no ignored file', async () => {
    await using sandbox = await Sandbox.create({
      '.gitignore': '*.log\n',
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'run.sh': '#\n',
    });
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.write(slot, {
      'a.txt': 'edited\n',
      '-rf': 'dash\n',
      'd/ünï code.txt': 'n\n',
      'x.log': 'log\n',
    });
    await sandbox.git(slot, 'mv', 'b.txt', 'c.txt');
    await chmod(join(slot, 'run.sh'), 0o755);
    await symlink('/nowhere', join(slot, 'link'));
    const commit = await leftovers(slot);
    if (commit === undefined) throw new Error('expected a commit');
    const files = await changedFiles({ cwd: slot, base, head: commit });
    expect(files.map(({ path, change, kind }) => `${change} ${kind} ${path}`).sort()).toEqual([
      'added file -rf',
      'added file c.txt',
      'added file d/ünï code.txt',
      'added link link',
      'deleted file b.txt',
      'modified file a.txt',
      'modified file run.sh',
    ]);
    expect(files.find(({ path }) => path === 'run.sh')?.modeChanged).toBe(true);
    expect(files.find(({ path }) => path === 'b.txt')?.movedTo).toBe('c.txt');
    expect(await sandbox.git(slot, 'status', '--porcelain')).toBe('');
    expect(await sandbox.tip(slot)).toBe(commit);
  });

  it.each([
    ['on a branch of its own', ['switch', '--quiet', '-c', 'agent/work']],
    ['detached', ['checkout', '--quiet', '--detach']],
  ])('commits on top of what an agent committed %s', async (_where, command) => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    await sandbox.git(slot, ...command);
    const own = await sandbox.commit(slot, { 'b.txt': 'b\n' }, 'the agent itself');
    await sandbox.write(slot, { 'c.txt': 'c\n' });
    const commit = await leftovers(slot);
    expect(await sandbox.git(slot, 'log', '-1', '--format=%P', commit ?? '')).toBe(own);
  });

  it('is not misled by a staged deletion, assume-unchanged bits or a lock left behind', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const slot = await sandbox.slot();
    await sandbox.git(slot, 'update-index', '--assume-unchanged', 'a.txt');
    await sandbox.git(slot, 'update-index', '--skip-worktree', 'b.txt');
    await sandbox.write(slot, { 'a.txt': 'hidden\n', 'b.txt': 'hidden too\n', '.git/index.lock': '' });
    const commit = (await leftovers(slot)) ?? '';
    expect(await sandbox.git(slot, 'show', `${commit}:a.txt`)).toBe('hidden');
    expect(await sandbox.git(slot, 'show', `${commit}:b.txt`)).toBe('hidden too');
    expect(await sandbox.git(slot, 'status', '--porcelain')).toBe('');
  });

  it('keeps both parents of a merge that the agent resolved but did not commit', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    await sandbox.git(slot, 'switch', '--quiet', '-c', 'side');
    const side = await sandbox.commit(slot, { 'a.txt': 'side\n' }, 'side');
    await sandbox.git(slot, 'switch', '--quiet', 'main');
    const main = await sandbox.commit(slot, { 'a.txt': 'main\n' }, 'main');
    await expect(sandbox.git(slot, 'merge', 'side')).rejects.toThrow('CONFLICT');
    await expect(leftovers(slot)).rejects.toThrow('a merge half done with conflict markers in a.txt');
    await sandbox.write(slot, { 'a.txt': 'both\n' });
    const commit = await leftovers(slot);
    expect(await sandbox.git(slot, 'log', '-1', '--format=%P', commit ?? '')).toBe(`${main} ${side}`);
    expect(await sandbox.git(slot, 'status')).not.toContain('merging');
  });

  it('refuses a rebase that still has commits to apply', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    await sandbox.commit(slot, { 'a.txt': '1\n' }, 'one');
    await sandbox.commit(slot, { 'b.txt': '2\n' }, 'two');
    const base = await sandbox.commit(sandbox.repo, { 'a.txt': 'other\n' }, 'other');
    await sandbox.mirror();
    await expect(sandbox.git(slot, 'rebase', base)).rejects.toThrow('could not apply');
    await sandbox.write(slot, { 'a.txt': 'resolved\n' });
    await expect(leftovers(slot)).rejects.toThrow('1 more commit(s) to apply');
  });

  it('refuses a nested repository by name instead of recording a link to nowhere', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    await mkdir(join(slot, 'app'));
    await sandbox.git(join(slot, 'app'), 'init', '--quiet');
    await sandbox.commit(join(slot, 'app'), { 'x.txt': 'x\n' }, 'nested');
    await expect(leftovers(slot)).rejects.toThrow('a git repository inside the repository: app');
  });

  it('does not climb into another repository where the agent deleted its own .git', async () => {
    await using sandbox = await Sandbox.create();
    const outer = await sandbox.tip(sandbox.repo);
    const slot = join(sandbox.repo, 'inner');
    await mkdir(slot);
    await writeFile(join(slot, 'x.txt'), 'x\n');
    await expect(leftovers(slot)).rejects.toThrow();
    expect(await sandbox.tip(sandbox.repo)).toBe(outer);
  });
});

describe('changedFiles', () => {
  it('counts a moved submodule and a changed binary file', async () => {
    await using sandbox = await Sandbox.create({ 'a.bin': '\u0000\u0001' });
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.write(slot, { 'a.bin': '\u0000\u0002' });
    await sandbox.git(slot, 'update-index', '--add', '--cacheinfo', `160000,${base},sub`);
    await sandbox.git(slot, 'add', 'a.bin');
    await sandbox.git(slot, 'commit', '--quiet', '-m', 'both');
    expect(await changedFiles({ cwd: slot, base, head: 'HEAD' })).toEqual([
      { path: 'a.bin', change: 'modified', kind: 'file', modeChanged: false },
      { path: 'sub', change: 'added', kind: 'submodule', modeChanged: false },
    ]);
  });
});

describe('findLanded', () => {
  it('finds the job by its trailer on the base, and no job whose id only begins alike', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.write(slot, { 'b.txt': 'b\n' });
    const message = commitMessage({ jobId: 'job-12', ticketId: 'T1', title: 'Title', agent: 'scripted' });
    const commit = (await leftovers(slot, message)) ?? '';
    expect(await findLanded({ path: sandbox.repo }, 'main', 'job-12')).toBeUndefined();
    const repository = { path: sandbox.repo, gitDir: join(sandbox.repo, '.git') };
    await land({ slotPath: slot, repository, base: 'main', expectedBase: base, commit });
    expect(await findLanded(repository, 'main', 'job-12')).toBe(commit);
    expect(await findLanded(repository, 'main', 'job-12', base)).toBe(commit);
    expect(await findLanded(repository, 'main', 'job-12', commit)).toBeUndefined();
    expect(await findLanded(repository, 'main', 'job-1')).toBeUndefined();
    expect(await findLanded(repository, 'gone', 'job-12')).toBeUndefined();
  });
});
