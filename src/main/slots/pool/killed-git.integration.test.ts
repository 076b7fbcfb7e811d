import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import { mendMirror } from '../mirror/mend-mirror.ts';
import { draftOf } from '../mirror/mirror.ts';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';

let shop: Workshop;
let repository: Repository;
beforeEach(async () => {
  shop = await openWorkshop();
  repository = await shop.repository({ 'a.txt': 'one\n' });
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
});

describe('what a git that was killed left in the mirror', () => {
  it('is in the way of nobody: locks nobody holds, refs without a commit', async () => {
    const mirror = shop.pool.mirror(repository);
    await mirror.fetch();
    const head = await shop.commit(repository, { 'a.txt': 'two\n' });
    await mkdir(join(mirror.path, 'refs', 'heads'), { recursive: true });
    await writeFile(join(mirror.path, 'refs', 'heads', 'main.lock'), '');
    await writeFile(join(mirror.path, 'refs', 'heads', 'main'), '');
    await writeFile(join(mirror.path, 'packed-refs.lock'), '');
    await writeFile(join(mirror.path, 'objects', 'pack', 'tmp_pack_x'), 'half');
    await mirror.fetch();
    expect(await mirror.baseCommit('main')).toBe(head);
    expect(await readdir(join(mirror.path, 'refs', 'heads'))).toEqual(['main']);
    await using claimed = await shop.claim(repository, head);
    expect(await agent(claimed.path, 'cat a.txt')).toBe('two\n');
  });

  it('is no mirror where one was only begun: it goes with its process, and stays where that can not be known', async () => {
    const mirror = shop.pool.mirror(repository);
    const directory = join(mirror.path, '..');
    const gone = spawn('true');
    await once(gone, 'close');
    const left = draftOf(mirror.path, gone.pid ?? 0);
    const alive = draftOf(mirror.path, process.ppid);
    const elsewhere = `${mirror.path}.${gone.pid}.1.${'0'.repeat(12)}`;
    for (const draft of [left, alive, elsewhere]) await mkdir(join(draft, 'objects'), { recursive: true });
    await mirror.fetch();
    const there = (await readdir(directory)).filter((name) => name.startsWith('mirror.git'));
    expect(there.sort()).toEqual(['mirror.git', basename(alive), basename(elsewhere)].sort());
  });

  it.runIf(process.platform === 'linux')(
    'of objects goes with the next process, unless somebody works there',
    async () => {
      await shop.pool.mirror(repository).fetch();
      const { path } = shop.pool.mirror(repository);
      await mkdir(join(path, 'objects', '0f'), { recursive: true });
      const left = ['objects/0f/tmp_obj_x', 'objects/pack/tmp_pack_x'].map((name) => join(path, name));
      for (const file of left) await writeFile(file, 'half');
      {
        await using _busy = await working(path);
        await shop.nextRunner('runner-2').mirror(repository).fetch();
        expect(left.map((file) => existsSync(file))).toEqual([true, true]);
      }
      await shop.nextRunner('runner-3').mirror(repository).fetch();
      expect(left.map((file) => existsSync(file))).toEqual([false, false]);
    },
  );

  it('stays while a process works there', async () => {
    const mirror = shop.pool.mirror(repository);
    await mirror.fetch();
    const lock = join(mirror.path, 'packed-refs.lock');
    await writeFile(lock, '');
    await using _busy = await working(mirror.path);
    expect(await mendMirror(mirror.path, Date.now())).toEqual([]);
    expect(existsSync(lock)).toBe(true);
  });

  it('never counts work that Headway keeps among what may go', async () => {
    const mirror = shop.pool.mirror(repository);
    await mirror.fetch();
    const kept = join(mirror.path, 'refs', 'headway', 'jobs', 'j');
    await mkdir(join(kept, '..'), { recursive: true });
    await writeFile(kept, 'cut off');
    expect(await mendMirror(mirror.path, Date.now())).toEqual([]);
    expect(existsSync(kept)).toBe(true);
  });
});

describe('what a git that was killed left in a slot', () => {
  const start = async () => {
    const claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    await writeFile(join(claimed.path, 'work.txt'), 'w\n');
    return claimed;
  };
  const keptFiles = async (): Promise<string> => {
    const mirror = shop.pool.mirror(repository).path;
    const ref = (await agent(mirror, 'git for-each-ref --format="%(refname)" refs/headway/kept')).trim();
    return agent(mirror, `git ls-tree --name-only ${ref}`);
  };

  it.each([
    ['a lock on the index', 'echo half > .git/index.lock'],
    ['a lock on HEAD', ': > .git/HEAD.lock'],
    ['an empty branch', ': > .git/refs/heads/headway/job'],
    ['a branch with a lock', ': > .git/refs/heads/headway/job.lock'],
    ['half an index', 'head -c 20 .git/index > .git/x; mv .git/x .git/index'],
    ['an unfinished object', 'mkdir -p .git/objects/aa; echo x > .git/objects/aa/tmp_obj_x'],
    ['no HEAD', 'rm .git/HEAD'],
    ['an empty HEAD', ': > .git/HEAD'],
    ['a git directory that was only begun', 'rm -rf .git; mkdir -p .git/refs/heads'],
  ])('loses no work and costs no slot after a crash: %s', async (_what, script) => {
    const claimed = await start();
    await agent(claimed.path, script);
    const next = shop.nextRunner('runner-2');
    await next.recover();
    expect(await shop.slots()).toMatchObject([{ state: 'ready', reason: undefined }]);
    expect(await keptFiles()).toBe('a.txt\nwork.txt\n');
    expect((await readdir(claimed.path)).sort()).toEqual(['.git', 'a.txt']);
    expect(await agent(claimed.path, 'git status --porcelain; find .git -name "*.lock"')).toBe('');
  });
});

async function working(directory: string): Promise<AsyncDisposable> {
  const child = spawn('sh', ['-c', 'echo there; exec sleep 60'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}
