import { readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LandResult, land } from './land.ts';
import { Sandbox } from './testing/sandbox.ts';

type Landing = { base: string; commit: string; slot: string };

async function prepared(sandbox: Sandbox, files: Record<string, string>): Promise<Landing> {
  const slot = await sandbox.slot();
  const base = await sandbox.tip(slot);
  return { slot, base, commit: await sandbox.commit(slot, files, 'job') };
}

const landing = (
  sandbox: Sandbox,
  { slot, base, commit }: Landing,
  path = sandbox.repo,
): Promise<LandResult> =>
  land({
    slotPath: slot,
    repository: { path, gitDir: join(sandbox.repo, '.git') },
    base: 'main',
    expectedBase: base,
    commit,
  });

describe('land', () => {
  it.each(['plain', "with space and 'apostrophe'", 'ünï-ço∂é 日本', '-leading dash', '$HOME "x" `id`'])(
    'moves the base and a clean checkout along in a repository named %s',
    async (name) => {
      await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'old.txt': 'old\n' }, name);
      const slot = await sandbox.slot();
      const base = await sandbox.tip(slot);
      await sandbox.git(slot, 'mv', 'old.txt', 'new name é.txt');
      const commit = await sandbox.commit(slot, { 'a.txt': 'b\n', 'dir/x.txt': 'x\n' }, 'job');
      expect(await landing(sandbox, { slot, base, commit })).toEqual({ kind: 'landed' });
      expect(await sandbox.tip(sandbox.repo, 'main')).toBe(commit);
      expect(await sandbox.read(sandbox.repo, 'dir/x.txt')).toBe('x\n');
      expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    },
  );

  it('says landed again when it is repeated, also after more was committed on top', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'b.txt': 'b\n' });
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    const tip = await sandbox.commit(sandbox.repo, { 'c.txt': 'c\n' }, 'person');
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    expect(await sandbox.tip(sandbox.repo)).toBe(tip);
  });

  it.each([
    ['does nothing', 'exit 0'],
    ['moves the index alone', 'git read-tree "$1"'],
    ['writes the files alone', 'cd "$GIT_WORK_TREE"; git archive "$1" | tar -x; rm -f old.txt'],
  ])('brings the checkout along where a push-to-checkout hook %s', async (_, script) => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'old.txt': 'old\n' });
    await sandbox.hook('push-to-checkout', script);
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.git(slot, 'rm', '--quiet', 'old.txt');
    const commit = await sandbox.commit(slot, { 'a.txt': 'b\n', 'dir/x.txt': 'x\n' }, 'job');
    await sandbox.write(sandbox.repo, { 'mine.txt': 'mine\n' });
    expect(await landing(sandbox, { slot, base, commit })).toEqual({
      kind: 'landed',
      checkout: { path: sandbox.repo, files: [] },
    });
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('?? mine.txt');
    expect(await sandbox.read(sandbox.repo, 'dir/x.txt')).toBe('x\n');
    expect(await sandbox.git(sandbox.repo, 'diff', '--name-only', commit)).toBe('');
  });

  it('says what it does not bring along: files that a hook left as something else', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'c.txt': 'c\n' });
    await sandbox.hook('push-to-checkout', 'git read-tree "$1"; echo hook > "$GIT_WORK_TREE/a.txt"');
    const job = await prepared(sandbox, { 'a.txt': 'b\n', 'c.txt': 'cc\n' });
    expect(await landing(sandbox, job)).toEqual({
      kind: 'landed',
      checkout: { path: sandbox.repo, files: ['a.txt'] },
    });
    expect(await sandbox.read(sandbox.repo, 'a.txt')).toBe('hook\n');
    expect(await sandbox.read(sandbox.repo, 'c.txt')).toBe('cc\n');
  });

  it('leaves a dirty checkout byte for byte alone and names its files', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'b é.txt': 'b\n', 'c.txt': 'c\n' });
    const job = await prepared(sandbox, { 'c.txt': 'job\n' });
    await sandbox.write(sandbox.repo, { 'a.txt': 'mine\n', 'b é.txt': 'staged\n', 'untracked.txt': 'u\n' });
    await sandbox.git(sandbox.repo, 'add', 'b é.txt');
    const index = await readFile(join(sandbox.repo, '.git', 'index'));
    const result = await landing(sandbox, job);
    expect(result).toEqual({ kind: 'uncommitted', path: sandbox.repo, files: ['a.txt', 'b é.txt'] });
    expect(await sandbox.tip(sandbox.repo)).toBe(job.base);
    expect(await sandbox.read(sandbox.repo, 'a.txt')).toBe('mine\n');
    expect(await sandbox.read(sandbox.repo, 'c.txt')).toBe('c\n');
    expect(await readFile(join(sandbox.repo, '.git', 'index'))).toEqual(index);
  });

  it.each([
    ['untracked', '', { 'new.txt': 'job\n' }, ['new.txt']],
    ['ignored', 'new.txt\n', { 'new.txt': 'job\n' }, ['new.txt']],
    ['untracked where a directory is needed', '', { 'new.txt/deep.txt': 'job\n' }, ['new.txt']],
  ])('never overwrites a file of the user that is %s', async (_what, ignore, files, named) => {
    await using sandbox = await Sandbox.create({ '.gitignore': ignore || '# nothing\n' });
    const job = await prepared(sandbox, {});
    const commit = await (async () => {
      await sandbox.write(job.slot, files);
      await sandbox.git(job.slot, 'add', '--all', '--force');
      await sandbox.git(job.slot, 'commit', '--quiet', '-m', 'job');
      return sandbox.tip(job.slot);
    })();
    await sandbox.write(sandbox.repo, { 'new.txt': 'precious\n' });
    const result = await landing(sandbox, { ...job, commit });
    expect(result).toEqual({ kind: 'uncommitted', path: sandbox.repo, files: named });
    expect(await sandbox.read(sandbox.repo, 'new.txt')).toBe('precious\n');
    expect(await sandbox.tip(sandbox.repo)).toBe(job.base);
  });

  it("keeps a user's ignored files where a directory would become a file", async () => {
    await using sandbox = await Sandbox.create({ '.gitignore': '*.log\n', 'd/x.txt': 'x\n' });
    const slot = await sandbox.slot();
    const base = await sandbox.tip(slot);
    await sandbox.git(slot, 'rm', '-r', '--quiet', 'd');
    const commit = await sandbox.commit(slot, { d: 'a file now\n' }, 'job');
    await sandbox.write(sandbox.repo, { 'd/precious.log': 'log\n' });
    expect(await landing(sandbox, { slot, base, commit })).toEqual({
      kind: 'uncommitted',
      path: sandbox.repo,
      files: ['d/precious.log'],
    });
    expect(await sandbox.read(sandbox.repo, 'd/precious.log')).toBe('log\n');
  });

  it('does not write through a symbolic link that lies in the way', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'dir/x.txt': 'job\n' });
    await symlink(sandbox.root, join(sandbox.repo, 'dir'));
    expect(await landing(sandbox, job)).toMatchObject({ kind: 'uncommitted', files: ['dir'] });
    await expect(stat(join(sandbox.root, 'x.txt'))).rejects.toThrow('ENOENT');
  });

  it('waits for a merge that the user has half done', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'b.txt': 'b\n' });
    await sandbox.git(sandbox.repo, 'switch', '--quiet', '-c', 'side');
    await sandbox.commit(sandbox.repo, { 's.txt': 's\n' }, 'side');
    await sandbox.git(sandbox.repo, 'switch', '--quiet', 'main');
    await sandbox.git(sandbox.repo, 'merge', '--no-commit', '--no-ff', 'side');
    const result = await landing(sandbox, job);
    expect(result).toMatchObject({ kind: 'uncommitted', files: ['(a merge in progress)', 's.txt'] });
  });

  it('lands beside a checkout of another branch without touching its dirty files', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'a.txt': 'job\n' });
    await sandbox.git(sandbox.repo, 'switch', '--quiet', '-c', 'mine');
    await sandbox.write(sandbox.repo, { 'a.txt': 'dirty\n' });
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    expect(await sandbox.tip(sandbox.repo, 'main')).toBe(job.commit);
    expect(await sandbox.tip(sandbox.repo)).toBe(job.base);
    expect(await sandbox.read(sandbox.repo, 'a.txt')).toBe('dirty\n');
  });

  it('moves a linked worktree of the user along, and leaves a dirty one alone', async () => {
    await using sandbox = await Sandbox.create();
    await sandbox.git(sandbox.repo, 'switch', '--quiet', '-c', 'mine');
    const linked = join(sandbox.root, 'linked tree');
    await sandbox.git(sandbox.repo, 'worktree', 'add', '--quiet', linked, 'main');
    const job = await prepared(sandbox, { 'a.txt': 'job\n' });
    await sandbox.write(linked, { 'a.txt': 'dirty\n' });
    expect(await landing(sandbox, job)).toEqual({ kind: 'uncommitted', path: linked, files: ['a.txt'] });
    await sandbox.git(linked, 'restore', 'a.txt');
    expect(await landing(sandbox, job, linked)).toEqual({ kind: 'landed' });
    expect(await sandbox.read(linked, 'a.txt')).toBe('job\n');
    expect(await sandbox.git(linked, 'status', '--porcelain')).toBe('');
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
  });

  it.each(['pre-receive', 'update', 'reference-transaction'])(
    "reports a %s hook's refusal in its own words and leaves the checkout as it was",
    async (hook) => {
      await using sandbox = await Sandbox.create();
      const job = await prepared(sandbox, { 'a.txt': 'job\n' });
      const refuse = 'echo "main is frozen until Monday" >&2; exit 1';
      await sandbox.hook(
        hook,
        hook === 'reference-transaction' ? `[ "$1" = prepared ] || exit 0; ${refuse}` : refuse,
      );
      const result = await landing(sandbox, job);
      expect(result).toMatchObject({
        kind: 'refused',
        why: expect.stringContaining('main is frozen until Monday'),
      });
      expect(await sandbox.tip(sandbox.repo)).toBe(job.base);
      expect(await sandbox.read(sandbox.repo, 'a.txt')).toBe('a\n');
      expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    },
  );

  it("does not run the slot's own hooks", async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'a.txt': 'job\n' });
    await sandbox.git(job.slot, 'config', 'core.hooksPath', join(sandbox.repo, '.git', 'hooks'));
    await sandbox.hook('pre-push', 'exit 1');
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
  });

  it('says so when the base is gone', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'a.txt': 'job\n' });
    await sandbox.git(sandbox.repo, 'switch', '--quiet', '-c', 'mine');
    await sandbox.git(sandbox.repo, 'branch', '--quiet', '-D', 'main');
    expect(await landing(sandbox, job)).toEqual({ kind: 'base-missing' });
  });

  it('never lands on a base that moved on or was forced elsewhere', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'b.txt': 'job\n' });
    const ahead = await sandbox.commit(sandbox.repo, { 'c.txt': 'c\n' }, 'person');
    expect(await landing(sandbox, job)).toEqual({ kind: 'moved', base: ahead });
    await sandbox.git(sandbox.repo, 'checkout', '--quiet', '--orphan', 'other');
    const other = await sandbox.commit(sandbox.repo, { 'o.txt': 'o\n' }, 'other root');
    await sandbox.git(sandbox.repo, 'branch', '--quiet', '-f', 'main', other);
    expect(await landing(sandbox, job)).toEqual({ kind: 'moved', base: other });
    expect(await sandbox.tip(sandbox.repo, 'main')).toBe(other);
  });

  it.each([
    ['rebase', 'a rebase', ['rebase', 'other']],
    ['bisect', 'a bisect', ['bisect', 'start', 'main', 'other~1']],
  ])('waits for a %s of the base, while no branch is checked out', async (_, words, command) => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n' });
    const { repo } = sandbox;
    await sandbox.git(repo, 'switch', '--quiet', '-c', 'other');
    await sandbox.commit(repo, { 'a.txt': 'theirs\n' }, 'theirs');
    await sandbox.git(repo, 'switch', '--quiet', 'main');
    for (const text of ['mine\n', 'more\n', 'most\n']) await sandbox.commit(repo, { 'a.txt': text }, text);
    const job = await prepared(sandbox, { 'b.txt': 'b\n' });
    await sandbox.git(repo, ...command).catch(() => undefined); // a rebase ends in its conflict
    const result = await landing(sandbox, job);
    expect(result).toMatchObject({ kind: 'uncommitted', path: repo });
    expect(result).toMatchObject({ files: expect.arrayContaining([`(${words} in progress)`]) });
    expect(await sandbox.tip(repo, 'main')).toBe(job.base);
  });

  it('refuses a commit that does not descend from the expected base', async () => {
    await using sandbox = await Sandbox.create();
    const slot = await sandbox.slot();
    const first = await sandbox.tip(slot);
    const tip = await sandbox.commit(sandbox.repo, { 'b.txt': 'b\n' }, 'second');
    await sandbox.git(slot, 'fetch', '--quiet', sandbox.repo, 'main');
    const stray = await sandbox.commit(slot, { 'c.txt': 'c\n' }, 'on the first');
    expect(first).not.toBe(tip);
    await expect(landing(sandbox, { slot, base: tip, commit: stray })).rejects.toThrow('does not descend');
  });

  it('heals a checkout that a dead process had moved without its branch, then lands', async () => {
    await using sandbox = await Sandbox.create({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const job = await prepared(sandbox, { 'a.txt': 'job\n', 'new.txt': 'n\n' });
    await sandbox.git(sandbox.repo, 'fetch', '--quiet', job.slot, job.commit);
    await sandbox.git(sandbox.repo, 'read-tree', '-m', '-u', job.base, job.commit);
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    expect(await sandbox.tip(sandbox.repo)).toBe(job.commit);
  });

  it('moves the checkout of a repository whose git directory lies elsewhere', async () => {
    await using sandbox = await Sandbox.create();
    const path = join(sandbox.root, 'work tree');
    const gitDir = join(sandbox.root, 'elsewhere');
    await sandbox.git(sandbox.root, 'clone', '--quiet', '--separate-git-dir', gitDir, sandbox.repo, path);
    const job = await prepared(sandbox, { 'a.txt': 'job\n' });
    const options = {
      slotPath: job.slot,
      repository: { path, gitDir },
      base: 'main',
      expectedBase: job.base,
    };
    await sandbox.write(path, { 'a.txt': 'dirty\n' });
    expect(await land({ ...options, commit: job.commit })).toEqual({
      kind: 'uncommitted',
      path,
      files: ['a.txt'],
    });
    await sandbox.git(path, 'restore', 'a.txt');
    expect(await land({ ...options, commit: job.commit })).toEqual({ kind: 'landed' });
    expect(await sandbox.read(path, 'a.txt')).toBe('job\n');
    expect(await sandbox.git(path, 'status', '--porcelain')).toBe('');
  });

  it('lets exactly one of eight win per value of the base, until all have landed', async () => {
    await using sandbox = await Sandbox.create();
    const jobs: Landing[] = [];
    for (let index = 0; index < 8; index += 1) {
      const slot = await sandbox.slot();
      const base = await sandbox.tip(slot);
      const commit = await sandbox.commit(slot, { [`job-${index}.txt`]: 'x\n' }, `job ${index}`);
      jobs.push({ slot, base, commit });
    }
    const results = await Promise.all(jobs.map((job) => landing(sandbox, job)));
    expect(results.filter(({ kind }) => kind === 'landed')).toHaveLength(1);
    const tip = await sandbox.tip(sandbox.repo);
    expect(results.filter((result) => result.kind === 'moved' && result.base === tip)).toHaveLength(7);
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    expect(await sandbox.git(sandbox.repo, 'rev-list', '--count', 'main')).toBe('2');
  });
});

describe.runIf(process.platform === 'linux')('a git that is killed while it lands', () => {
  /** A filter that kills the git which writes a file of its kind, once. */
  async function deadly(sandbox: Sandbox): Promise<void> {
    const mark = join(sandbox.root, 'killed');
    const smudge = `if test -e ${mark}; then cat; else touch ${mark}; kill -9 $PPID; fi`;
    await sandbox.git(sandbox.repo, 'config', 'filter.deadly.smudge', smudge);
  }

  it('leaves no lock and no part of its work behind, and lands when it is tried again', async () => {
    await using sandbox = await Sandbox.create({
      '.gitattributes': 'm.txt filter=deadly\n',
      'a.txt': 'a\n',
      'm.txt': 'm\n',
      'z.txt': 'z\n',
    });
    const job = await prepared(sandbox, {
      'a.txt': 'new a\n',
      'b.txt': 'b\n',
      'm.txt': 'new m\n',
      'z.txt': 'new z\n',
    });
    await deadly(sandbox);
    await expect(landing(sandbox, job)).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('index.lock'),
    });
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    expect(await sandbox.tip(sandbox.repo, 'main')).toBe(job.base);
    expect(await landing(sandbox, job)).toEqual({ kind: 'landed' });
    expect(await sandbox.git(sandbox.repo, 'status', '--porcelain')).toBe('');
    expect(await sandbox.read(sandbox.repo, 'm.txt')).toBe('new m\n');
  });

  it('takes no lock away that stood there before it, and nothing that a person wrote', async () => {
    await using sandbox = await Sandbox.create();
    const job = await prepared(sandbox, { 'a.txt': 'new a\n' });
    const lock = join(sandbox.repo, '.git', 'index.lock');
    await sandbox.write(sandbox.repo, { '.git/index.lock': '' });
    expect(await landing(sandbox, job)).toMatchObject({
      kind: 'uncommitted',
      files: [expect.stringContaining(lock)],
    });
    expect((await stat(lock)).size).toBe(0);
  });
});
