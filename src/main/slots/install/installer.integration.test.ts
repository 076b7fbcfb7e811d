import { existsSync, writeFileSync } from 'node:fs';
import { readFile, symlink, unlink, utimes } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import type { ClaimedSlot } from '../pool/claimed-slot.ts';
import type { SlotPlan } from '../pool/slot-plan.ts';
import { agent, type Files, openWorkshop, type Workshop } from '../testing/workshop.ts';
import type { InstallOutcome } from './installer.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** A repository whose install needs no network: one workspace, one script that leaves a stamp. */
const FILES: Files = {
  'package.json': json({
    name: 'demo',
    private: true,
    workspaces: ['packages/*'],
    scripts: { postinstall: 'node scripts/postinstall.cjs' },
    dependencies: {},
  }),
  'package-lock.json': json({
    name: 'demo',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'demo', workspaces: ['packages/*'], hasInstallScript: true },
      'node_modules/lib': { resolved: 'packages/lib', link: true },
      'packages/lib': { version: '1.0.0' },
    },
  }),
  'packages/lib/package.json': json({ name: 'lib', version: '1.0.0' }),
  'scripts/postinstall.cjs': "require('fs').writeFileSync('node_modules/.stamp','1')",
  'patches/x+1.0.0.patch': '-a\n+b\n',
  'README.md': 'readme\n',
  '.gitignore': 'node_modules\ngenerated\n',
};

describe('dependencies of a slot', () => {
  let shop: Workshop;
  let repository: Repository;
  beforeEach(async () => {
    shop = await openWorkshop();
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const install = (claimed: ClaimedSlot): Promise<InstallOutcome> =>
    claimed.install({
      output: () => undefined,
      signal: AbortSignal.timeout(100_000),
      onWait: () => undefined,
    });

  /** One job: claim, checkout, install, what the agent does, release. */
  const job = async (
    files: Files,
    work: (claimed: ClaimedSlot, outcome: InstallOutcome) => Promise<unknown> = async () => undefined,
    plan: Partial<SlotPlan> = {},
  ): Promise<InstallOutcome> => {
    const commit = await shop.commit(repository, files);
    await using claimed = await shop.claim(repository, commit, plan);
    await claimed.checkout(commit, 'headway/job');
    const outcome = await install(claimed);
    await work(claimed, outcome);
    return outcome;
  };

  const read = (claimed: ClaimedSlot, path: string): Promise<string> =>
    readFile(join(claimed.path, path), 'utf8');

  it('are installed once and reused until something that decides them changes', async () => {
    repository = await shop.repository(FILES);
    const [slot] = await shop.pool.warm(repository, 1, shop.plan);
    expect(slot?.installedKey).toMatch(/^[0-9a-f]{32}$/);
    expect(await job({ 'README.md': 'other\n' })).toEqual({ kind: 'unchanged', key: slot?.installedKey });
    const crlf = { 'package-lock.json': `${FILES['package-lock.json']}\r\n` };
    const [first, second] = [await job(crlf), await job({ 'README.md': 'again\n' })];
    expect(second).toEqual({ kind: 'unchanged', key: 'key' in first ? first.key : '' });
    const stamped = await job(
      { 'scripts/postinstall.cjs': "require('fs').writeFileSync('node_modules/.stamp','2')" },
      async (claimed) => expect(await read(claimed, 'node_modules/.stamp')).toBe('2'),
    );
    expect(stamped.kind).toBe('installed');
    expect((await job({ 'patches/x+1.0.0.patch': '-a\n+c\n' })).kind).toBe('installed');
    expect((await job({ 'README.md': 'last\n' })).kind).toBe('unchanged');
    expect(await shop.slots()).toHaveLength(1);
  });

  it('do not pass for installed where the lockfile is out of date', async () => {
    repository = await shop.repository(FILES);
    await shop.pool.warm(repository, 1, shop.plan);
    const changed = {
      ...JSON.parse(FILES['packages/lib/package.json'] ?? ''),
      dependencies: { y: 'file:../../y' },
    };
    const outcome = await job(
      { 'packages/lib/package.json': json(changed), 'y/package.json': json({ name: 'y', version: '1.0.0' }) },
      async (claimed) => {
        expect(existsSync(join(claimed.path, 'node_modules'))).toBe(false);
      },
    );
    expect(outcome).toMatchObject({ kind: 'failed', why: expect.stringContaining('lockfile out of date') });
    const [slot] = await shop.slots();
    expect(slot).toMatchObject({ state: 'ready', installedKey: undefined });
  });

  it('are installed again after an install that was cut off', async () => {
    repository = await shop.repository({
      ...FILES,
      'scripts/postinstall.cjs': "console.log('half way'); setInterval(() => undefined, 1000)",
    });
    const claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    const controller = new AbortController();
    await expect(
      claimed.install({
        output: () => existsSync(join(claimed.path, 'node_modules')) && controller.abort(),
        signal: controller.signal,
        onWait: () => undefined,
      }),
    ).rejects.toThrow(/cancelled/);
    expect(claimed.slot.installedKey).toBeUndefined();
    await claimed[Symbol.asyncDispose]();
    expect(existsSync(join(claimed.path, 'node_modules'))).toBe(false);
    const outcome = await job({ 'scripts/postinstall.cjs': FILES['scripts/postinstall.cjs'] });
    expect(outcome.kind).toBe('installed');
  }, 60_000);

  it('are installed again where a job changed them', async () => {
    repository = await shop.repository(FILES);
    await shop.pool.warm(repository, 1, shop.plan);
    const outside = join(shop.directory, 'outside');
    await agent(shop.directory, `mkdir -p '${outside}/lib'`);
    const works: [(claimed: ClaimedSlot) => Promise<unknown>, string][] = [
      [(claimed) => agent(claimed.path, 'mkdir node_modules/evil'), 'unchanged'],
      [(claimed) => agent(claimed.path, 'rm -rf node_modules'), 'installed'],
      [
        async (claimed) => {
          await agent(claimed.path, 'rm -rf node_modules');
          await symlink(outside, join(claimed.path, 'node_modules'));
        },
        'installed',
      ],
      [
        async (claimed) => {
          await unlink(join(claimed.path, 'node_modules', 'lib'));
          await symlink(outside, join(claimed.path, 'node_modules', 'lib'));
          await agent(claimed.path, 'echo x >> node_modules/.package-lock.json');
        },
        'installed',
      ],
    ];
    for (const [work, kind] of works) {
      expect((await job({}, work)).kind).toMatch(/unchanged|installed/);
      const next = await job({}, async (claimed) => {
        expect(await agent(claimed.path, 'ls node_modules; readlink node_modules/lib')).toBe(
          'lib\n../packages/lib\n',
        );
      });
      expect(next.kind).toBe(kind);
    }
    expect(existsSync(join(outside, 'lib'))).toBe(true);
  }, 120_000);

  describe('that a job tampered with', () => {
    // A command in place of a manager: what matters is what it puts there, and npm takes seconds.
    const plan = { setup: 'sh install.sh' };
    const PACKAGES: Files = {
      'README.md': 'readme\n',
      'src/a.ts': 'a\n',
      '.gitignore': 'node_modules\n',
      'install.sh':
        'mkdir -p node_modules/dep/lib; for f in dep/index.js dep/lib/deep.js .made; do printf good > node_modules/$f; done',
    };
    const LOOK = `find node_modules -printf '%y %m %p %l\\n' | sort; find node_modules -type f | sort | xargs cat
      find . -name node_modules -prune -print | sort; ls -A`;

    it.each([
      [
        'one file inside a package, its time and size forged',
        'touch -r node_modules/dep/index.js t; printf evil > node_modules/dep/index.js; touch -r t node_modules/dep/index.js; rm t',
        'installed',
      ],
      ['a file deep inside a package', 'echo evil >> node_modules/dep/lib/deep.js', 'installed'],
      ['a mode', 'chmod 600 node_modules/dep/index.js', 'installed'],
      ['the mode of a directory', 'chmod 777 node_modules/dep/lib', 'installed'],
      ['a file that it took away', 'rm node_modules/dep/lib/deep.js', 'installed'],
      ['a file that became a link', 'ln -sf /etc/hosts node_modules/dep/index.js', 'installed'],
      [
        'a directory of another inode',
        'cp -a node_modules/dep x; rm -r node_modules/dep; mv x node_modules/dep',
        'installed',
      ],
      ['a file that is shared with another place', 'ln node_modules/dep/index.js twin', 'installed'],
      ['a directory that it closed', 'chmod 000 node_modules/dep/lib', 'installed'],
      ['a file added to a package', 'echo evil > node_modules/dep/lib/evil.js', 'unchanged'],
      [
        'packages added beside',
        'mkdir -p node_modules/evil node_modules/@e/vil; echo e > node_modules/@e/vil/i.js',
        'unchanged',
      ],
      [
        'packages where nothing installs',
        'mkdir -p src/node_modules/evil; echo e > src/node_modules/evil/i.js',
        'unchanged',
      ],
      [
        'caches among the packages',
        'mkdir -p node_modules/.cache/x node_modules/.vite; echo e > node_modules/.cache/x/y',
        'unchanged',
      ],
      ['a name that is no UTF-8', 'printf x > "$(printf \'node_modules/dep/b\\377d\')"', 'installed'],
    ] as const)('%s: the next one sees nothing of it', async (_, script, kind) => {
      repository = await shop.repository(PACKAGES);
      await shop.pool.warm(repository, 1, { ...shop.plan, ...plan });
      let before = '';
      const spoil = async (claimed: ClaimedSlot): Promise<void> => {
        before = await agent(claimed.path, LOOK);
        await agent(claimed.path, script);
      };
      await job({}, spoil, plan);
      const look = async (claimed: ClaimedSlot): Promise<void> =>
        expect(await agent(claimed.path, LOOK)).toBe(before);
      const next = await job({}, look, plan);
      expect(next.kind).toBe(kind);
      expect(await shop.slots()).toMatchObject([{ state: 'ready', reason: undefined }]);
    });

    it('give the next checkout of the same claim nothing of it either', async () => {
      repository = await shop.repository(PACKAGES);
      const spoil = async (claimed: ClaimedSlot): Promise<void> => {
        await agent(claimed.path, 'printf evil > node_modules/dep/index.js; mkdir node_modules/evil');
        await claimed.checkout(claimed.slot.commit ?? '', 'headway/verify');
        expect((await install(claimed)).kind).toBe('installed');
        expect(await agent(claimed.path, 'cat node_modules/dep/index.js; ls node_modules')).toBe('gooddep\n');
      };
      await job({}, spoil, plan);
    });

    it('are installed again where the clock was set back, so that times tell nothing', async () => {
      repository = await shop.repository(PACKAGES);
      await shop.pool.warm(repository, 1, { ...shop.plan, ...plan });
      const claimed = await shop.claim(repository, undefined, plan);
      const ahead = Date.now() / 1000 + 3600;
      await utimes(join(claimed.path, '..', '.state', 's1', 'inventory.json'), ahead, ahead);
      await claimed[Symbol.asyncDispose]();
      expect(await shop.slots()).toMatchObject([{ state: 'ready', installedKey: undefined }]);
      expect((await job({}, undefined, plan)).kind).toBe('installed');
    });

    it('are found changed also in the very moment after the install', async () => {
      repository = await shop.repository(PACKAGES);
      for (let round = 0; round < 4; round += 1) {
        const claimed = await shop.claim(repository, undefined, plan);
        await install(claimed);
        writeFileSync(join(claimed.path, 'node_modules/dep/index.js'), 'evil');
        await claimed[Symbol.asyncDispose]();
        expect(await shop.slots()).toMatchObject([{ state: 'ready', installedKey: undefined }]);
      }
    });

    it('stay where a job only used them, and a cache that the policy names stays as it is', async () => {
      repository = await shop.repository(PACKAGES);
      const withCache = { ...plan, caches: ['node_modules/.cache'] };
      for (const kind of ['installed', 'unchanged', 'unchanged']) {
        const outcome = await job(
          {},
          (claimed) =>
            agent(
              claimed.path,
              'cat node_modules/dep/index.js; mkdir -p node_modules/.cache; echo x >> node_modules/.cache/x',
            ),
          withCache,
        );
        expect(outcome.kind).toBe(kind);
      }
      const [slot] = await shop.slots();
      expect(await agent(slot?.path ?? '', 'cat node_modules/.cache/x')).toBe('x\nx\nx\n');
    });
  });

  it('leave tracked files, settings and the commit alone, and what they generate is there in every job', async () => {
    repository = await shop.repository({
      ...FILES,
      'scripts/postinstall.cjs': `
        const fs = require('fs');
        fs.writeFileSync('README.md', 'rewritten'); fs.writeFileSync('stray.txt', 'x');
        fs.mkdirSync('generated/deep', { recursive: true }); fs.writeFileSync('generated/deep/client.js', 'client');
        require('child_process').execSync('git config core.hooksPath .husky');`,
    });
    for (const kind of ['installed', 'unchanged']) {
      const outcome = await job({}, async (claimed) => {
        expect(await read(claimed, 'generated/deep/client.js')).toBe('client');
        expect(await agent(claimed.path, 'git status --porcelain; git config core.hooksPath')).toBe(
          `${devNull}\n`,
        );
        await agent(claimed.path, 'rm -rf generated');
      });
      expect(outcome.kind).toBe(kind);
    }
  });

  it('are nothing where the commit has none, and old ones go', async () => {
    repository = await shop.repository(FILES);
    await shop.pool.warm(repository, 1, shop.plan);
    const outcome = await job(
      { 'package.json': undefined, 'package-lock.json': undefined, 'packages/lib/package.json': undefined },
      async (claimed) => expect(existsSync(join(claimed.path, 'node_modules'))).toBe(false),
    );
    expect(outcome).toEqual({ kind: 'none' });
  });

  it('do not get into commits where the repository ignores nothing', async () => {
    repository = await shop.repository({ ...FILES, '.gitignore': undefined });
    await job({}, async (claimed) => {
      expect(existsSync(join(claimed.path, 'node_modules', 'lib'))).toBe(true);
      expect(await agent(claimed.path, 'git add -A; git status --porcelain')).toBe('');
    });
    expect((await job({})).kind).toBe('unchanged');
  });

  it('fail clearly where the manager is missing or of another version', async () => {
    repository = await shop.repository({ 'package.json': '{"name":"x"}', 'pnpm-lock.yaml': '' });
    const env = { ...shop.plan.env, PATH: join(shop.directory, 'bin') };
    await agent(shop.directory, 'mkdir bin');
    expect(await job({}, undefined, { env })).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/pnpm was not found.*pnpm-lock\.yaml.*install pnpm/),
    });
    await agent(shop.directory, "printf '#!/bin/sh\\necho 8.15.0\\n' > bin/pnpm; chmod +x bin/pnpm");
    const pinned = { 'package.json': '{"name":"x","packageManager":"pnpm@9.1.0"}' };
    expect(await job(pinned, undefined, { env })).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/asks for pnpm@9\.1\.0, but pnpm 8\.15\.0/),
    });
  });

  it('are installed where they are, in a sub-package with a lockfile alone', async () => {
    const web = (path: string): string => `web/${path}`;
    repository = await shop.repository({
      'go.mod': 'module demo\n',
      '.gitignore': 'node_modules\n',
      [web('package.json')]: json({ name: 'web', scripts: { postinstall: 'node stamp.cjs' } }),
      [web('package-lock.json')]: json({
        name: 'web',
        lockfileVersion: 3,
        packages: { '': { name: 'web', hasInstallScript: true } },
      }),
      [web('stamp.cjs')]:
        "const fs = require('fs'); fs.mkdirSync('node_modules/x', { recursive: true }); fs.writeFileSync('node_modules/x/i.js', '1')",
    });
    const [slot] = await shop.pool.warm(repository, 1, shop.plan);
    expect(slot).toMatchObject({ state: 'ready', installedKey: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const tamper = async (claimed: ClaimedSlot): Promise<void> => {
      expect(await read(claimed, 'web/node_modules/x/i.js')).toBe('1');
      await agent(claimed.path, 'echo evil >> web/node_modules/x/i.js; mkdir node_modules');
    };
    expect((await job({}, tamper)).kind).toBe('unchanged');
    const next = await job({ 'main.go': 'package main\n' }, async (claimed) => {
      expect(await read(claimed, 'web/node_modules/x/i.js')).toBe('1');
      expect(existsSync(join(claimed.path, 'node_modules'))).toBe(false);
    });
    expect(next.kind).toBe('installed');
    const outdated = { [web('package.json')]: json({ name: 'web', dependencies: { y: 'file:./y' } }) };
    const failed = await job({ ...outdated, [web('y/package.json')]: json({ name: 'y', version: '1.0.0' }) });
    expect(failed).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/lockfile out of date: web\/package-lock\.json .*npm ci in web/),
    });
  }, 60_000);

  it('come from the setup command where the policy names one', async () => {
    repository = await shop.repository({ 'requirements.txt': 'a\n', '.gitignore': '.venv\n' });
    const plan = { setup: 'mkdir -p .venv && cp requirements.txt .venv/done', caches: ['.venv'] };
    expect((await job({}, undefined, plan)).kind).toBe('installed');
    const again = await job(
      {},
      async (claimed) => expect(await read(claimed, '.venv/done')).toBe('a\n'),
      plan,
    );
    expect(again.kind).toBe('unchanged');
    expect((await job({ 'requirements.txt': 'b\n' }, undefined, plan)).kind).toBe('installed');
    const failing = await job({}, undefined, { ...plan, setup: 'echo no luck; exit 3' });
    expect(failing).toEqual({
      kind: 'failed',
      exit: 3,
      why: 'echo no luck; exit 3 ended with exit code 3: no luck',
    });
  });
});
