import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import { canMount, canSetImmutable } from '../testing/privileges.ts';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';
import type { ClaimedSlot } from './claimed-slot.ts';

const NFC = 'gr\u00f6\u00dfe.txt';
const NFD = 'gro\u0308\u00dfe.txt';
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
const FILES = {
  'README.md': 'readme\n',
  'src/a.ts': 'a\n',
  'src/b.ts': 'b\n',
  [NFC]: 'composed\n',
  'assets/big.bin': POINTER,
  '.gitignore': 'node_modules\ndist\n*.tsbuildinfo\n.turbo\n',
};

/** Everything that a next job could notice, files and git alike. */
const LOOK = `
find . -path ./.git -prune -o -printf '%y %m %p %l\\n' | sort
find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
git status --porcelain --ignored; git ls-files -v; git rev-parse HEAD; git symbolic-ref HEAD
git for-each-ref; git stash list; git notes list || true; git replace -l; git config --local --list | sort
git worktree list | wc -l; git log --oneline | wc -l; cat .git/objects/info/alternates
find .git -path .git/objects -prune -o -type f -print | sort; cat .git/info/* | sort
`;

/** One thing that a job leaves, by name. They run with git's identity set and \`$OUT\`, a directory outside. */
const ACTS: [string, string][] = [
  ['a rebase that stopped half-way', 'two sides; git rebase side || true; test -d .git/rebase-merge'],
  [
    'a cherry-pick that stopped half-way',
    'two sides; git cherry-pick side || true; test -f .git/CHERRY_PICK_HEAD',
  ],
  [
    'a revert, a bisect and an am under way',
    'echo 1 > src/a.ts; git commit -qam one; git bisect start; git bisect bad; git revert --no-commit HEAD; mkdir .git/rebase-apply',
  ],
  [
    'work trees of its own, here and outside',
    'git worktree add -q "$OUT/w" -b w; git worktree add -q inner -b inner; git worktree lock "$OUT/w"',
  ],
  [
    'replaced and grafted objects',
    'echo 1 > src/a.ts; git commit -qam one; git replace HEAD HEAD~1; git rev-parse HEAD > .git/info/grafts; git rev-parse HEAD > .git/shallow',
  ],
  [
    'notes, tags, odd refs and a packed reference that lies',
    'git notes add -m evil; git tag -a v1 -m v1; git update-ref refs/evil/x HEAD; git pack-refs --all; git symbolic-ref refs/heads/main refs/tags/v1',
  ],
  [
    'excludes and attributes that hide files',
    'echo secret > hidden; echo hidden > .git/info/exclude; echo "*.ts export-ignore text eol=crlf" > .git/info/attributes; git config core.excludesFile "$OUT/x"; echo "*" > "$OUT/x"',
  ],
  [
    'borrowed and lent objects',
    'git init -q "$OUT/store"; echo "$OUT/store/.git/objects" > .git/objects/info/alternates; echo x | git hash-object -w --stdin',
  ],
  [
    'settings of every kind',
    'git config core.hooksPath "$OUT"; git config core.autocrlf true; git config core.ignoreCase true; git config core.fileMode false; git config core.symlinks false; git config core.sparseCheckout true; git config extensions.worktreeConfig true; git config --worktree core.bare true; git config alias.status "!touch \\"$OUT/pwned\\""; git config include.path "$OUT/more"; git config url.x.insteadOf y',
  ],
  [
    'a submodule that it added',
    'git init -q "$OUT/lib"; (cd "$OUT/lib"; git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m l); git -c protocol.file.allow=always submodule add -q "$OUT/lib" vendor; git commit -qam sub',
  ],
  [
    'a changed LFS pointer, downloaded objects and a filter',
    `mkdir -p .git/lfs/objects/aa; echo real > .git/lfs/objects/aa/x; echo content > assets/big.bin; git config filter.lfs.smudge "touch '$OUT/pwned'; cat"; git config filter.lfs.required true; echo "*.bin filter=lfs" > .gitattributes`,
  ],
  [
    'names in another Unicode form',
    `mv '${NFC}' '${NFD}'; echo twin > '${NFC}x'; mkdir -p 'src/e\u0301'; echo x > 'src/e\u0301/\u00e9'; git config core.precomposeUnicode true`,
  ],
  [
    'names that look like options, and long ones',
    `touch -- -rf --help '-' '*' '?' "'" '"' '$(x)' '\`x\`' 'a
b' "$(printf 'tab\\there')"; mkdir -p "$(printf 'd%.0s' $(seq 200))/$(printf 'e%.0s' $(seq 200))"; touch "$(printf 'd%.0s' $(seq 200))/$(printf 'e%.0s' $(seq 200))/$(printf 'f%.0s' $(seq 200))"`,
  ],
  [
    'files where directories were, and the other way round',
    'rm -rf src README.md; echo file > src; mkdir README.md; echo x > README.md/x; ln -s "$OUT" assets/link',
  ],
  [
    'modes, times and owners',
    'chmod 777 README.md; chmod +x src/a.ts; chmod 000 src/b.ts; chmod 700 assets; touch -d 2001-01-01 src/a.ts; chmod 1777 src',
  ],
  [
    'poisoned caches and packages',
    'mkdir -p node_modules/.cache node_modules/evil .turbo dist; echo evil > node_modules/.cache/x; echo evil > node_modules/evil/index.js; echo evil > a.tsbuildinfo; echo evil > .turbo/x; echo evil > dist/x; mkdir -p packages/a/node_modules/evil; echo e > packages/a/node_modules/evil/i.js',
  ],
  [
    'locks of every kind',
    'for f in index HEAD config packed-refs shallow refs/heads/x; do mkdir -p ".git/$(dirname $f)"; : > ".git/$f.lock"; done; mkdir -p .git/refs/heads/headway; : > .git/refs/heads/headway/job.lock',
  ],
  [
    'a deep chain of links',
    'ln -s . loop; ln -s loop/loop/loop again; ln -s / root; ln -s /nowhere dead; mkdir x; ln -s ../x x/up; ln -s "$OUT" .git/objects/out',
  ],
  [
    'sockets, pipes and sparse giants',
    'mkfifo src/fifo; truncate -s 50G huge; mkdir -p dist; mkfifo dist/fifo',
  ],
];

const SETUP = `
git config user.name T; git config user.email t@example.invalid
two() { git checkout -q -b side; echo side > src/a.ts; git commit -qam side; git checkout -q -; git checkout -q -b mine; echo mine > src/a.ts; git commit -qam mine; }
`;

describe.runIf(process.platform === 'linux')('a job that leaves', () => {
  let shop: Workshop;
  let repository: Repository;
  let out: string;
  beforeEach(async () => {
    out = mkdtempSync(join(tmpdir(), 'headway-out-'));
    shop = await openWorkshop();
    repository = await shop.repository(FILES);
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
    rmSync(out, { recursive: true, force: true });
  });

  const start = async (): Promise<ClaimedSlot> => {
    const claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    return claimed;
  };

  it.each(ACTS)('%s: the next one sees nothing of it', async (_, script) => {
    const first = await start();
    const before = await agent(first.path, LOOK);
    const clone = await agent(repository.path, 'git for-each-ref; git status --porcelain; cat .git/config');
    await agent(first.path, `OUT='${out}'\n${SETUP}\n${script}`);
    await first[Symbol.asyncDispose]();
    expect((await shop.slots()).map(({ state, reason }) => ({ state, reason }))).toEqual([
      { state: 'ready', reason: undefined },
    ]);
    const next = await start();
    expect(next.path).toBe(first.path);
    expect(await agent(next.path, LOOK)).toBe(before);
    expect(await agent(repository.path, 'git for-each-ref; git status --porcelain; cat .git/config')).toBe(
      clone,
    );
    expect(existsSync(join(out, 'pwned'))).toBe(false);
    await next[Symbol.asyncDispose]();
  });

  it('an open port: it is free for the next one', async () => {
    const claimed = await start();
    const script =
      "const s=require('net').createServer().listen(0,'127.0.0.1',()=>console.log(s.address().port))";
    const server: ChildProcess = spawn(process.execPath, ['-e', script], {
      cwd: claimed.path,
      detached: true,
      env: { ...claimed.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const exited = once(server, 'exit');
    await claimed[Symbol.asyncDispose]();
    await exited;
    const mine = createServer().listen(Number(line.toString()), '127.0.0.1');
    await once(mine, 'listening');
    mine.close();
    expect((await shop.slots())[0]?.state).toBe('ready');
  });

  it.runIf(canSetImmutable())(
    'immutable files: in quarantine, never handed out, until they can go',
    async () => {
      const claimed = await start();
      await agent(claimed.path, 'echo x > stuck; echo y >> README.md; chattr +i stuck README.md');
      try {
        await claimed[Symbol.asyncDispose]();
        const [slot] = await shop.slots();
        expect(slot?.state).toBe('quarantined');
        expect(slot?.reason).toMatch(/stuck|README\.md|permitted/);
        const other = await start();
        expect(other.path).not.toBe(claimed.path);
        await other[Symbol.asyncDispose]();
      } finally {
        await agent(shop.directory, 'chattr -R -f -i . || true');
      }
      const rebuilt = await shop.pool.rebuild(claimed.slot.id);
      expect(rebuilt.state).toBe('ready');
      expect(await agent(claimed.path, 'git status --porcelain; ls')).not.toContain('stuck');
    },
  );

  it.runIf(canMount())(
    'something mounted: in quarantine until it is gone, and what lies there stays',
    async () => {
      const claimed = await start();
      await agent(
        claimed.path,
        `echo keep > '${out}/keep'; mkdir drive; mount --bind '${out}' drive; echo y >> README.md`,
      );
      try {
        await claimed[Symbol.asyncDispose]();
        expect(await shop.slots()).toMatchObject([
          { state: 'quarantined', reason: expect.stringMatching(/drive|busy/i) },
        ]);
      } finally {
        await agent(shop.directory, `umount '${claimed.path}/drive'`);
      }
      expect((await shop.pool.rebuild(claimed.slot.id)).state).toBe('ready');
      await shop.pool.close();
      expect(await agent(out, 'cat keep')).toBe('keep\n');
    },
  );

  it('edits of the mirror that slots borrow from: no ref or setting of it reaches a slot or the clone', async () => {
    const claimed = await start();
    const mirror = shop.pool.mirror(repository).path;
    const head = await agent(repository.path, 'git rev-parse HEAD');
    await agent(
      claimed.path,
      `${SETUP}\nM='${mirror}'; echo evil > src/a.ts; git commit -qam evil; git push -q "$M" HEAD:refs/heads/evil
      git -C "$M" update-ref refs/heads/main refs/heads/evil; mkdir -p "$M/hooks"
      printf '#!/bin/sh\\ntouch "${out}/pwned"\\n' > "$M/hooks/post-update"; chmod +x "$M/hooks/post-update"
      git -C "$M" config core.hooksPath "$M/hooks"; git -C "$M" config core.fsmonitor "touch ${out}/pwned"`,
    );
    await claimed[Symbol.asyncDispose]();
    await shop.pool.mirror(repository).fetch();
    expect(await shop.pool.mirror(repository).baseCommit('main')).toBe(head.trim());
    const next = await start();
    expect(await agent(next.path, 'git rev-parse HEAD; cat src/a.ts')).toBe(`${head}a\n`);
    expect(existsSync(join(out, 'pwned'))).toBe(false);
    await next[Symbol.asyncDispose]();
  });
});
