import { chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, gitLine } from '../git/git.ts';
import { chooseBase } from './base-branch.ts';
import { explainGitRefusal, identify } from './identify.ts';
import { inspect } from './inspect.ts';

const AS = [
  '-c',
  'user.name=A',
  '-c',
  'user.email=a@b.c',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'protocol.file.allow=always',
];
const ROOT_USER = process.getuid?.() === 0;

describe('repositories', () => {
  let root: string;
  const run = (cwd: string, ...args: string[]): Promise<string> => gitLine([...AS, ...args], { cwd });
  const make = async (name: string, files: Record<string, string> = { 'a.txt': 'a\n' }): Promise<string> => {
    const path = join(root, name);
    await mkdir(path, { recursive: true });
    await run(path, 'init', '--quiet', '--initial-branch=main');
    await commit(path, files);
    return path;
  };
  const commit = async (path: string, files: Record<string, string>): Promise<void> => {
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
    await run(path, 'add', '--all');
    await run(path, 'commit', '--quiet', '--allow-empty', '-m', 'c');
  };

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'headway-repos-')));
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  describe('identify', () => {
    it.each(['plain', 'with space ', "apo'strophe", '-dash', 'ünï 日本', '$(x) "q"', 'true\ntrue\n.'])(
      'finds a repository named %j by its real paths',
      async (name) => {
        const path = await make(name);
        const place = await identify(path);
        expect(place).toMatchObject({ path, gitDir: join(path, '.git'), name, notes: [] });
        expect(place.id).toMatch(/^[0-9a-f]{12}$/);
      },
    );

    it('knows the same repository by every path, and two clones apart', async () => {
      const path = await make('repo');
      const { id } = await identify(path);
      await symlink(path, join(root, 'link'));
      await run(path, 'worktree', 'add', '--quiet', '-b', 'side', join(root, 'linked'));
      await run(root, 'clone', '--quiet', path, 'clone');
      expect(await identify(join(root, 'link'))).toMatchObject({ id, path, notes: [] });
      expect(await identify(join(root, 'linked'))).toMatchObject({ id, path: join(root, 'linked') });
      expect((await identify(join(root, 'clone'))).id).not.toBe(id);
    });

    it('uses the top of the repository and says so', async () => {
      const path = await make('repo');
      await mkdir(join(path, 'sub'));
      const place = await identify(join(path, 'sub'));
      expect(place.path).toBe(path);
      expect(place.notes[0]).toContain(`lies inside ${path}`);
    });

    it('takes a repository inside another, and a submodule, for themselves', async () => {
      const outer = await make('outer');
      const inner = await make('outer/inner');
      const library = await make('library');
      await run(outer, 'submodule', '--quiet', 'add', library, 'lib');
      const ids = [];
      for (const path of [outer, inner, join(outer, 'lib')]) {
        const place = await identify(path);
        expect(place.path).toBe(path);
        ids.push(place.id);
      }
      expect(new Set(ids).size).toBe(3);
    });

    it('refuses what is no repository, naming the path and the way out', async () => {
      await mkdir(join(root, 'plain'));
      await writeFile(join(root, 'file'), 'x');
      await run(root, 'init', '--quiet', '--bare', 'bare.git');
      await run(root, 'init', '--quiet', 'empty');
      const repo = await make('repo');
      await symlink(join(root, 'loop'), join(root, 'loop'));
      const cases: [string, string, string][] = [
        ['nowhere', 'bad-input', 'does not exist'],
        ['file', 'bad-input', 'is a file'],
        ['file/x', 'bad-input', 'leads through a file'],
        ['loop', 'bad-input', 'leads to itself'],
        ['plain', 'not-a-repository', 'run git init and commit there'],
        ['bare.git', 'not-a-repository', 'bare repository'],
        ['empty', 'not-a-repository', 'has no commits yet'],
      ];
      for (const [name, code, words] of cases) {
        const path = join(root, name);
        await expect(identify(path), name).rejects.toMatchObject({
          code,
          message: expect.stringContaining(words),
        });
        await expect(identify(path)).rejects.toThrow(path);
      }
      await expect(identify(join(repo, '.git'))).rejects.toThrow("inside git's own directory");
      await expect(identify('')).rejects.toMatchObject({ code: 'bad-input' });
      await expect(identify('a\0b')).rejects.toMatchObject({ code: 'bad-input' });
    });

    const asRoot = ROOT_USER ? it : undefined;
    asRoot?.('explains how to trust a repository of another user', async () => {
      const path = await make('theirs');
      await chown(path, 12_345, 12_345);
      await chown(join(path, '.git'), 12_345, 12_345);
      await expect(identify(path)).rejects.toThrow(`git config --global --add safe.directory '${path}'`);
    });

    it('knows the words of git for what it refuses', () => {
      expect(
        explainGitRefusal('/p', "fatal: detected dubious ownership in repository at '/q'\n").message,
      ).toContain("safe.directory '/q'");
      expect(explainGitRefusal('/p', 'fatal: cannot open .git: Permission denied').message).toContain(
        'permission',
      );
      expect(explainGitRefusal('/p', 'fatal: bad config line 1 in file .git/config').message).toContain(
        'bad config',
      );
    });
  });

  describe('chooseBase', () => {
    it('takes the wanted branch, else the one checked out', async () => {
      const path = await make('repo');
      await run(path, 'switch', '--quiet', '-c', 'feature/x');
      expect(await chooseBase({ path })).toBe('feature/x');
      expect(await chooseBase({ path }, 'main')).toBe('main');
      expect(await chooseBase({ path }, 'refs/heads/main')).toBe('main');
    });

    it('falls back on main for a detached HEAD and for a branch without commits', async () => {
      const path = await make('repo');
      await run(path, 'checkout', '--quiet', '--detach');
      expect(await chooseBase({ path })).toBe('main');
      await run(path, 'branch', 'trunk');
      await run(path, 'config', 'init.defaultBranch', 'trunk');
      expect(await chooseBase({ path })).toBe('trunk');
      await run(path, 'checkout', '--quiet', '--orphan', 'new');
      expect(await chooseBase({ path })).toBe('trunk');
    });

    it('asks for --base where nothing is likely', async () => {
      const path = await make('repo');
      await run(path, 'branch', 'one');
      await run(path, 'branch', 'two');
      await run(path, 'checkout', '--quiet', '--detach');
      await run(path, 'branch', '-D', 'main');
      await run(path, 'config', 'init.defaultBranch', 'gone');
      await expect(chooseBase({ path })).rejects.toThrow(/detached HEAD.*--base \(one, two\)/);
    });

    it('names the nearest branches for one that is missing, and a remote one that could be used', async () => {
      const path = await make('repo');
      await run(path, 'branch', 'develop');
      await expect(chooseBase({ path }, 'devlop')).rejects.toThrow(
        'no branch devlop (--base); did you mean develop?',
      );
      await expect(chooseBase({ path }, '--upload-pack=x')).rejects.toMatchObject({ code: 'bad-input' });
      await run(root, 'clone', '--quiet', path, 'clone');
      await expect(chooseBase({ path: join(root, 'clone') }, 'develop')).rejects.toThrow(
        'git branch develop origin/develop',
      );
    });
  });

  describe('inspect', () => {
    const look = async (path: string, more: Partial<Parameters<typeof inspect>[0]> = {}) =>
      inspect({ repository: { path, name: 'repo', base: 'main' }, ...more });

    it('reads the base commit, not the work tree', async () => {
      const path = await make('repo', {
        'package.json': JSON.stringify({ scripts: { test: 'node --test', lint: 'l' } }),
        'pnpm-lock.yaml': '',
      });
      await writeFile(join(path, 'package.json'), '{}');
      await writeFile(join(path, 'headway.yaml'), 'gate: [false]\n');
      const found = await look(path);
      expect(found).toMatchObject({
        manager: 'pnpm',
        lockfile: 'pnpm-lock.yaml',
        gateSource: 'default',
        trusted: false,
      });
      expect(found.gate.map(({ command }) => command)).toEqual(['pnpm run lint', 'pnpm test']);
      expect(found.notes.join('\n')).toMatch(/uncommitted work on main \(package\.json\)/);
      const trusted = await look(path, {
        repository: { path, name: 'r', base: 'main', trustedHash: found.commandsHash },
      });
      expect(trusted.trusted).toBe(true);
    });

    it('says what is unusual: submodules, LFS, sparse and shallow checkouts', async () => {
      const library = await make('library');
      const path = await make('repo', { '.gitattributes': '*.bin filter=lfs diff=lfs\n' });
      await run(path, 'submodule', '--quiet', 'add', library, 'lib');
      await run(path, 'commit', '--quiet', '-m', 'lib');
      await run(path, 'config', 'core.sparseCheckout', 'true');
      const notes = (await look(path, { notes: ['given'] })).notes.join('\n');
      for (const word of ['given', 'submodules', 'Git LFS', 'sparse checkout']) expect(notes).toContain(word);
      await run(root, 'clone', '--quiet', '--depth', '1', `file://${path}`, 'shallow');
      expect((await look(join(root, 'shallow'))).notes.join('\n')).toContain('shallow clone');
    });

    it('takes --gate and the own policy, and refuses a policy that is a link', async () => {
      const path = await make('repo', { 'package.json': '{"scripts":{"test":"x"}}' });
      expect(await look(path, { override: ['true'] })).toMatchObject({ gateSource: 'override' });
      expect(await look(path, { userPolicy: 'gate: [mine]' })).toMatchObject({ gateSource: 'user' });
      await symlink('/etc/hosts', join(path, 'headway.yaml'));
      await commit(path, {});
      await expect(look(path)).rejects.toThrow('headway.yaml must be a regular file');
    });

    it('changes nothing in the repository', async () => {
      const path = await make('repo');
      await writeFile(join(path, 'a.txt'), 'a\n'); // same content, other time: a refresh would rewrite the index
      const before = [await readFile(join(path, '.git', 'index')), await readdir(join(path, '.git'))];
      await look(path);
      expect([await readFile(join(path, '.git', 'index')), await readdir(join(path, '.git'))]).toEqual(
        before,
      );
      expect((await git(['reflog'], { cwd: path })).stdout.split('\n')).toHaveLength(2);
    });
  });
});
