import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import { agent, openWorkshop, type Workshop, writeFiles } from '../testing/workshop.ts';
import type { ClaimedSlot } from './claimed-slot.ts';
import { processesIn } from './leftovers.ts';

const FILES = {
  'README.md': 'readme\n',
  'src/ui/button.tsx': 'button\n',
  'src/api/users.ts': 'users\n',
  '.gitignore': 'logs\nnode_modules\n.cache\n.turbo\nbuild\n.env.local\n.next\ndist\n',
};

describe('what a job leaves behind', () => {
  let shop: Workshop;
  let repository: Repository;
  beforeEach(async () => {
    shop = await openWorkshop({ plan: { caches: ['.cache', '.turbo'] } });
    repository = await shop.repository(FILES);
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const start = async (): Promise<ClaimedSlot> => {
    const claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    return claimed;
  };
  const end = async (claimed: ClaimedSlot): Promise<void> => {
    await claimed[Symbol.asyncDispose]();
    const [slot] = await shop.slots();
    expect(slot).toMatchObject({ state: 'ready', reason: undefined });
  };
  const filesOf = async (path: string): Promise<string[]> =>
    (await agent(path, 'find . -mindepth 1 -path ./.git -prune -o -print')).trim().split('\n').sort();
  const PLAIN = [
    './.gitignore',
    './README.md',
    './src',
    './src/api',
    './src/api/users.ts',
    './src/ui',
    './src/ui/button.tsx',
  ];

  it.runIf(process.platform !== 'win32')('goes also where it lies deeper than any path can say', async () => {
    const claimed = await start();
    const dig = `const { mkdirSync, writeFileSync } = require('node:fs');
      for (const top of ['plain', '.cache', 'node_modules', 'src']) {
        process.chdir(process.argv[1]);
        for (let depth = 0; depth < 40; depth += 1) {
          mkdirSync(depth === 0 ? top : 'd'.repeat(200), { recursive: true });
          process.chdir(depth === 0 ? top : 'd'.repeat(200));
        }
        writeFileSync('deep', 'x');
      }`;
    execFileSync(process.execPath, ['-e', dig, claimed.path]);
    await end(claimed);
    expect((await readdir(claimed.path)).sort()).toEqual([
      '.cache',
      '.git',
      '.gitignore',
      'README.md',
      'src',
    ]);
    expect(await readdir(join(claimed.path, 'src'))).toEqual(['api', 'ui']);
    // The cache is kept, deep as it is, until the slot goes.
    await shop.pool.remove(claimed.slot.id);
    await shop.pool.close();
    expect(await readdir(join(claimed.path, '..', '.trash'))).toEqual([]);
  });

  it('never loses what lies behind links out of the slot', async () => {
    const outside = join(shop.directory, 'outside');
    await writeFiles(outside, { 'data/deep/f1': 'keep', 'data/f2': 'keep', 'repo/tracked.txt': 'src' });
    await agent(join(outside, 'repo'), 'git init -q .');
    const before = await agent(outside, 'find . -type f | sort');
    const claimed = await start();
    await agent(
      claimed.path,
      `ext='${outside}'; mkdir -p logs node_modules .cache packages/a apps/web
      ln -s "$ext/data" logs/data; ln -s "$ext/data" plain-link; ln -s "$ext/repo" node_modules/linked
      ln -s "$ext/data" .cache/store; ln -s "$PWD/logs" packages/a/hop; ln -s "$ext/data" build
      ln -s "$ext/data" .turbo; ln -s "$ext/data" apps/web/node_modules; ln -s "$ext" .next
      rm -rf src; ln -s "$ext/data" src`,
    );
    const slotPath = claimed.path;
    await end(claimed);
    expect(await agent(outside, 'find . -type f | sort')).toBe(before);
    expect(await filesOf(slotPath)).toEqual(['./.cache', './.cache/store', ...PLAIN].sort());
    expect(lstatSync(join(slotPath, '.cache', 'store')).isSymbolicLink()).toBe(true);
    const [slot] = await shop.slots();
    await shop.pool.rebuild(slot?.id ?? '');
    await shop.pool.remove(slot?.id ?? '');
    await shop.pool.close();
    expect(existsSync(slotPath)).toBe(false);
    expect(await agent(outside, 'find . -type f | sort')).toBe(before);
  });

  it('is gone: nested repositories, empty and closed directories, odd names, ignored files', async () => {
    const claimed = await start();
    await agent(
      claimed.path,
      `mkdir -p scaffold/app && (cd scaffold/app && git init -q . && echo leftover > z.txt)
      mkdir -p empty/deep src/nested && (cd src/nested && git init -q .)
      mkdir -p ro/in && echo x > ro/in/file && chmod 500 ro/in ro
      printf x > ./-rf; printf x > ' lead space '; printf x > "$(printf 'new\\nline')";
      mkfifo pipe src/pipe; echo tmp > .env.local; mkdir -p dist .next/cache/keep .next/server`,
    );
    await end(claimed);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
  });

  it('is gone: closed directories of tracked files, and a closed git directory', async () => {
    const claimed = await start();
    await agent(
      claimed.path,
      `mkdir -p build/x; echo new > src/ui/new; echo edit >> src/api/users.ts; chmod 000 README.md
      chmod 500 src/ui src/api src build .git/objects .git .`,
    );
    await end(claimed);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
    expect(await readFile(join(claimed.path, 'README.md'), 'utf8')).toBe('readme\n');
  });

  it.runIf(process.platform === 'linux')('is gone: names that are no UTF-8', async () => {
    const claimed = await start();
    await agent(claimed.path, `printf x > "$(printf 'b\\377d')"; mkdir -p "src/$(printf 'd\\377r')/deep"`);
    await end(claimed);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
  });

  it('is gone: hidden edits, flags, sparse checkout, a forged time', async () => {
    const claimed = await start();
    const file = join(claimed.path, 'README.md');
    const { mtime } = lstatSync(file);
    await agent(
      claimed.path,
      `git update-index --skip-worktree README.md; git update-index --assume-unchanged src/api/users.ts
      echo hidden >> src/api/users.ts; git sparse-checkout set src/ui; git config core.trustctime false`,
    );
    writeFileSync(file, 'README\n');
    utimesSync(file, mtime, mtime);
    await end(claimed);
    expect(await readFile(file, 'utf8')).toBe('readme\n');
    expect(await agent(claimed.path, 'git ls-files -v')).not.toMatch(/^[a-zS] /m);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
  });

  it('is gone: branches, tags, stash, hooks, remotes, config, half-done operations, borrowed objects', async () => {
    const claimed = await start();
    const marker = join(shop.directory, 'PWNED');
    await agent(
      claimed.path,
      `id='-c user.name=t -c user.email=t@example.invalid'; base=$(git rev-parse HEAD)
      echo a >> README.md; git $id commit -qam one; git branch other; git tag t1; git checkout -q -b conflict $base
      echo b >> README.md; git $id commit -qam two; git $id merge other || true
      git config core.hooksPath evil; git config core.fsmonitor "touch '${marker}'"
      git config filter.x.clean "touch '${marker}'"; git config filter.x.smudge "touch '${marker}'; cat"
      echo '* filter=x' > .git/info/attributes; git config remote.origin.url '${repository.path}'
      git config include.path /dev/null; mkdir -p .git/hooks; printf '#!/bin/sh\ntouch "${marker}"\n' > .git/hooks/post-checkout
      chmod +x .git/hooks/post-checkout; echo /nowhere >> .git/objects/info/alternates; : > .git/index.lock
      git config core.worktree /tmp`,
    );
    const head = claimed.slot.commit;
    await end(claimed);
    expect(
      await agent(
        claimed.path,
        'git for-each-ref; git stash list; git remote; git status --porcelain; git rev-parse HEAD; ls .git',
      ),
    ).toBe(`${head}\nHEAD\nconfig\nindex\ninfo\nobjects\nrefs\n`);
    expect(await agent(claimed.path, 'cat .git/config')).not.toMatch(/evil|PWNED|origin|worktree/);
    expect(existsSync(marker)).toBe(false);
  });

  it.each([
    ['removed', 'rm -rf .git'],
    ['a file that leads into the clone', 'rm -rf .git; echo "gitdir: $CLONE/.git" > .git'],
    ['a link into the clone', 'rm -rf .git; ln -s "$CLONE/.git" .git'],
    ['broken', 'echo garbage > .git/index; echo nonsense > .git/HEAD; rm -rf .git/objects'],
  ])('does not matter where the git directory was %s', async (_, script) => {
    const claimed = await start();
    await writeFile(join(repository.path, 'README.md'), 'my own edit\n');
    await agent(claimed.path, `CLONE='${repository.path}'; echo x >> README.md; echo y > new; ${script}`);
    await end(claimed);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
    expect(await readFile(join(repository.path, 'README.md'), 'utf8')).toBe('my own edit\n');
    expect(await agent(repository.path, 'git status --porcelain')).toBe(' M README.md\n');
  });

  it('does not reach another slot: a stash is the slot’s own', async () => {
    const [a, b] = [await start(), await start()];
    await agent(a.path, 'echo "// from A" >> src/ui/button.tsx; git stash push -q');
    await expect(agent(b.path, 'git stash pop')).rejects.toThrow(/No stash entries/);
    expect(await agent(b.path, 'git status --porcelain')).toBe('');
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
  });

  it.runIf(process.platform === 'linux')(
    'is ended: processes that left their group and their name',
    async () => {
      const claimed = await start();
      const child = spawn(
        '/bin/sh',
        ['-c', 'trap "" TERM; while :; do echo x >> README.md; sleep 0.05; done'],
        {
          cwd: join(claimed.path, 'src'),
          detached: true,
          stdio: 'ignore',
          env: {},
        },
      );
      const away = spawn('sleep', ['300'], {
        cwd: '/',
        detached: true,
        stdio: 'ignore',
        env: { ...claimed.env, PATH: process.env.PATH },
      });
      await Promise.all([once(child, 'spawn'), once(away, 'spawn')]);
      const exits = Promise.all([once(child, 'exit'), once(away, 'exit')]);
      await end(claimed);
      await exits;
      expect(processesIn(claimed.path)).toEqual([]);
      expect(await filesOf(claimed.path)).toEqual(PLAIN);
    },
  );

  it('is removed with a stale lock before the next job', async () => {
    await shop.pool.warm(repository, 1, shop.plan);
    const [slot] = await shop.slots();
    const path = slot?.path ?? '';
    const lock = await agent(path, 'git rev-parse --git-path index.lock');
    await writeFile(join(path, lock.trim()), '');
    await writeFile(join(path, 'README.md'), 'changed\n');
    await writeFile(join(path, 'stray'), 'x');
    const claimed = await start();
    expect(claimed.path).toBe(path);
    expect(await agent(path, 'git status --porcelain; git diff HEAD; ls')).toBe('README.md\nsrc\n');
    await end(claimed);
  });

  it.runIf(process.platform === 'linux')('is left alone while a live process holds the lock', async () => {
    await shop.pool.warm(repository, 1, shop.plan);
    const [slot] = await shop.slots();
    const lock = join(slot?.path ?? '', '.git', 'index.lock');
    const holder = spawn('/bin/sh', ['-c', 'exec 9>"$0"; echo held; exec sleep 300', lock], { cwd: '/' });
    await once(holder.stdout, 'data');
    const claimed = await start();
    expect(claimed.path).not.toBe(slot?.path);
    expect(existsSync(lock)).toBe(true);
    await claimed[Symbol.asyncDispose]();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  });

  it('leads to quarantine where the tree can not be proved clean', async () => {
    const claimed = await start();
    const state = join(claimed.path, '..', '.state', 's1');
    await writeFile(join(state, 'base'), 'f'.repeat(40));
    await claimed[Symbol.asyncDispose]();
    const [slot] = await shop.slots();
    expect(slot?.state).toBe('quarantined');
    expect(slot?.reason).toMatch(/\S/);
    const next = await start();
    expect(next.path).not.toBe(claimed.path);
    await next[Symbol.asyncDispose]();
  });

  it('can be thrown away within one claim: another commit is checked out clean', async () => {
    const claimed = await start();
    await agent(
      claimed.path,
      'echo w > work.txt; git add .; git commit -qm work; echo left > left; git tag x',
    );
    const made = (await agent(claimed.path, 'git rev-parse HEAD')).trim();
    await claimed.checkout(made, 'headway/verify');
    expect(await filesOf(claimed.path)).toEqual([...PLAIN, './work.txt'].sort());
    expect(await agent(claimed.path, 'git tag; git symbolic-ref HEAD; git rev-parse HEAD')).toBe(
      `refs/heads/headway/verify\n${made}\n`,
    );
    await end(claimed);
  });

  it('is kept where asked: commits on no branch, amended and stashed ones, edits, untracked files', async () => {
    const claimed = await start();
    await agent(
      claimed.path,
      `echo 1 > one; git add one; git commit -qm one; echo 2 > two; git add two; git commit -q --amend -m amended
      git checkout -q --detach HEAD~1; echo s >> README.md; git stash -q
      echo edit >> src/ui/button.tsx; git update-index --assume-unchanged src/ui/button.tsx
      echo new > untracked; mkdir nested; (cd nested; git init -q; echo n > inner)`,
    );
    const ref = await claimed.keep('job-1-attempt-1');
    expect(ref).toBe('refs/headway/kept/job-1-attempt-1');
    await end(claimed);
    const mirror = shop.pool.mirror(repository).path;
    expect(await agent(mirror, `git ls-tree -r --name-only ${ref}`)).toBe(
      '.gitignore\nREADME.md\nnested/inner\nsrc/api/users.ts\nsrc/ui/button.tsx\nuntracked\n',
    );
    expect(await agent(mirror, `git show ${ref}:src/ui/button.tsx`)).toBe('button\nedit\n');
    const log = await agent(mirror, `git log --format=%s ${ref}`);
    expect(log).toMatch(/^one$/m);
    expect(log).toMatch(/^amended$/m);
    expect(log).toMatch(/WIP on|On /);
  });

  it('is not kept where there is nothing', async () => {
    const claimed = await start();
    await mkdir(join(claimed.path, 'logs'));
    await writeFile(join(claimed.path, 'logs', 'x'), 'ignored');
    expect(await claimed.keep('nothing')).toBeUndefined();
    await end(claimed);
  });

  it('is kept also where the job removed its git directory', async () => {
    const claimed = await start();
    await agent(claimed.path, 'echo w > work.txt; rm -rf .git');
    const ref = await claimed.keep('gone');
    const mirror = shop.pool.mirror(repository).path;
    expect(await agent(mirror, `git show ${ref}:work.txt`)).toBe('w\n');
    await end(claimed);
  });

  it('survives a dead runner: its work is kept and its slots are reset or removed', async () => {
    const claimed = await start();
    await agent(claimed.path, 'echo w > work.txt; rm -f README.md');
    const halfway = await start();
    await agent(halfway.path, 'rm -rf .git; echo z > z');
    await shop.records.transition(halfway.slot.id, ['claimed'], { state: 'resetting' });
    const unfinished = await start();
    await agent(join(unfinished.path, '..', '.state', 's3'), 'rm base index.*');
    await shop.records.transition(unfinished.slot.id, ['claimed'], { state: 'warming' });
    const next = shop.nextRunner('runner-2');
    await next.recover();
    const rows = await shop.slots();
    expect(rows.map((slot) => [slot.id.slice(-2), slot.state])).toEqual([
      ['s1', 'ready'],
      ['s2', 'ready'],
    ]);
    expect(await filesOf(claimed.path)).toEqual(PLAIN);
    expect(await filesOf(halfway.path)).toEqual(PLAIN);
    const mirror = shop.pool.mirror(repository).path;
    const kept = await agent(mirror, 'git for-each-ref --format="%(refname)" refs/headway/kept');
    const [first = '', second = '', ...others] = kept.trim().split('\n');
    expect(others).toEqual([]);
    expect(first).toMatch(/^refs\/headway\/kept\/recovered-job-1-s1-\d+$/);
    expect(await agent(mirror, `git show ${first}:work.txt`)).toBe('w\n');
    // Its first rescuer had ended before the work was kept.
    expect(second).toMatch(/^refs\/headway\/kept\/recovered-job-1-s2-\d+$/);
    expect(await agent(mirror, `git show ${second}:z`)).toBe('z\n');
  });

  it('is not touched where another runner has recovered it while this one looked, and works in it', async () => {
    const claimed = await start();
    const late = shop.nextRunner('runner-late', async () => {
      await shop.records.transition(claimed.slot.id, ['claimed'], { runnerId: 'runner-2' });
      await writeFile(join(claimed.path, 'work.txt'), 'of its next job');
      return false;
    });
    await late.recover();
    expect(await shop.slots()).toMatchObject([{ state: 'claimed', runnerId: 'runner-2' }]);
    expect(await filesOf(claimed.path)).toEqual([...PLAIN, './work.txt'].sort());
  });

  it('stays with a runner that is alive', async () => {
    const claimed = await start();
    await writeFile(join(claimed.path, 'work.txt'), 'w');
    await shop.nextRunner('runner-2', async () => true).recover();
    expect((await readdir(claimed.path)).includes('work.txt')).toBe(true);
    expect(claimed.slot.state).toBe('claimed');
    await end(claimed);
  });
});
