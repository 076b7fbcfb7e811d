import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import { agent, openWorkshop, type Workshop } from '../testing/workshop.ts';

const IDENTITY =
  'export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=t GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=t@example.invalid GIT_CONFIG_KEY_2=protocol.file.allow GIT_CONFIG_VALUE_2=always';

describe('a slot that could be incomplete without a word', () => {
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop();
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const git = (repository: Repository, script: string): Promise<string> =>
    agent(repository.path, `${IDENTITY}\n${script}`);
  const headOf = async (repository: Repository): Promise<string> =>
    (await git(repository, 'git rev-parse HEAD')).trim();

  it.each([
    [
      'whose filter does not run',
      'git config filter.lfs.smudge "git-lfs-absent smudge -- %f"; git config filter.lfs.required true',
    ],
    ['whose filter is not set up', ':'],
  ])('is refused: files in Git LFS %s', async (_, setUp) => {
    const repository = await shop.repository({ '.gitattributes': '*.bin filter=lfs -text\n' });
    await git(
      repository,
      `o=$(printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 3\\n' 0 | git hash-object -w --stdin)
      git update-index --add --cacheinfo 100644,$o,a.bin; git commit -qm lfs; ${setUp}`,
    );
    await expect(shop.claim(repository, await headOf(repository))).rejects.toThrow(/no slot: .*git-lfs/);
    expect(await shop.slots()).toEqual([]);
    await shop.pool.close();
    expect(await agent(join(shop.directory, 'data'), "find . -maxdepth 2 -name 's1'")).toBe('');
  });

  it('is made anew where filters or line ends of the clone are others by now, and kept where only the name is', async () => {
    const repository = await shop.repository({ '.gitattributes': '*.bin filter=up\n', 'x.bin': 'hello\n' });
    const look = async (): Promise<[string, string]> => {
      await using claimed = await shop.claim(repository);
      await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
      const name = await agent(claimed.path, 'git config user.name');
      return [await readFile(join(claimed.path, 'x.bin'), 'utf8'), name.trim()];
    };
    const directory = async (): Promise<number[]> =>
      Promise.all((await shop.slots()).map(async ({ path }) => (await stat(path)).ino));
    await git(repository, 'git config user.name Ada');
    expect(await look()).toEqual(['hello\n', 'Ada']);
    await git(
      repository,
      'git config filter.up.clean "tr A-Z a-z"; git config filter.up.smudge "tr a-z A-Z"',
    );
    expect((await look())[0]).toBe('HELLO\n');
    const kept = await directory();
    expect(kept).toHaveLength(1);
    await git(repository, 'git config user.name Eve');
    await look(); // takes the name over for those that follow
    expect(await look()).toEqual(['HELLO\n', 'Eve']);
    expect(await directory()).toEqual(kept);
    await git(repository, 'git config core.autocrlf true');
    expect((await look())[0]).toBe('HELLO\r\n');
  });

  it('has all files where the clone is sparse, and says so', async () => {
    const repository = await shop.repository({ 'app/a.ts': 'a', 'tests/a.test.ts': 't', 'root.txt': 'r' });
    await git(repository, 'git sparse-checkout set app');
    expect(existsSync(join(repository.path, 'tests'))).toBe(false);
    await using claimed = await shop.claim(repository);
    expect(existsSync(join(claimed.path, 'tests', 'a.test.ts'))).toBe(true);
    expect(claimed.notes).toEqual([expect.stringMatching(/sparse checkout/)]);
  });

  it('runs no hook of the clone, and says so', async () => {
    const repository = await shop.repository({ '.husky/pre-commit': '#!/bin/sh\nexit 1\n', f: 'x' });
    await git(
      repository,
      `mkdir .husky/_; printf '#!/bin/sh\\nexit 1\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit
      git config core.hooksPath .husky/_`,
    );
    await using claimed = await shop.claim(repository);
    await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
    await agent(claimed.path, 'echo y >> f; git commit -qam c');
    expect(claimed.notes).toEqual([expect.stringMatching(/hooks .* do not run .*pre-commit in \.husky\/_/)]);
    expect((await agent(repository.path, 'git config core.hooksPath')).trim()).toBe('.husky/_');
  });

  describe('with a submodule', () => {
    const withSubmodule = async (): Promise<Repository> => {
      const library = await shop.repository({ 'lib.txt': '1\n' }, 'lib');
      const repository = await shop.repository({ 'a.txt': 'a\n' });
      await git(repository, `git submodule --quiet add ../lib vendor/lib; git commit -qm sub`);
      expect(library.path).not.toBe(repository.path);
      return repository;
    };

    it('is filled at each commit, also after a job tampered with it, and can be removed', async () => {
      const repository = await withSubmodule();
      const first = await headOf(repository);
      await git(
        repository,
        'cd vendor/lib; echo 2 > lib.txt; git commit -qam l2; cd ../..; git commit -qam pin',
      );
      const second = await headOf(repository);
      for (const [commit, text] of [
        [first, '1\n'],
        [second, '2\n'],
        [second, '2\n'],
        [first, '1\n'],
      ] as const) {
        await using claimed = await shop.claim(repository, commit);
        await claimed.checkout(commit, 'headway/job');
        expect(claimed.notes).toEqual([]);
        expect(await readFile(join(claimed.path, 'vendor/lib/lib.txt'), 'utf8')).toBe(text);
        expect(await agent(claimed.path, 'git status --porcelain')).toBe('');
        await agent(
          claimed.path,
          `cd vendor/lib; echo x >> lib.txt; echo y > new; git checkout -q --detach
          git config core.fsmonitor 'touch "${join(shop.directory, 'PWNED')}"'`,
        );
      }
      expect(existsSync(join(shop.directory, 'PWNED'))).toBe(false);
      const [slot] = await shop.slots();
      expect(slot).toMatchObject({ state: 'ready' });
      expect(await agent(slot?.path ?? '', 'git status --porcelain --ignored; ls -A vendor/lib')).toBe('');
      await shop.pool.remove(slot?.id ?? '');
      expect(existsSync(slot?.path ?? '')).toBe(false);
    });

    it('keeps what a job did inside it', async () => {
      const repository = await withSubmodule();
      await using claimed = await shop.claim(repository);
      await claimed.checkout(claimed.slot.commit ?? '', 'headway/job');
      await agent(
        claimed.path,
        `${IDENTITY}; cd vendor/lib; echo work >> lib.txt; git commit -qam w; echo n > new
        git config filter.t.clean 'touch "${join(shop.directory, 'PWNED')}"; cat'
        echo '* filter=t' > "$(git rev-parse --git-dir)/info/attributes"; touch lib.txt`,
      );
      const ref = await claimed.keep('sub');
      const mirror = shop.pool.mirror(repository).path;
      expect(await agent(mirror, `git show ${ref}:vendor/lib/lib.txt ${ref}:vendor/lib/new`)).toBe(
        '1\nwork\nn\n',
      );
      expect(existsSync(join(shop.directory, 'PWNED'))).toBe(false);
    });

    it('stays empty with a note where no copy is on this machine', async () => {
      const repository = await withSubmodule();
      await git(
        repository,
        `git config -f .gitmodules submodule.vendor/lib.url https://example.invalid/lib.git; git commit -qam url
        rm -rf .git/modules vendor/lib`,
      );
      await using claimed = await shop.claim(repository, await headOf(repository));
      expect(claimed.notes).toEqual([expect.stringMatching(/submodule vendor\/lib is not initialised/)]);
      expect(await agent(claimed.path, 'git status --porcelain')).toBe('');
    });
  });
});
