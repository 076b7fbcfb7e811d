import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';
import { landedUngated, recordingGate } from './testing/recording-gate.ts';

let place: Place;
let gate: ReturnType<typeof recordingGate>;
beforeEach(() => {
  place = new Place();
  gate = recordingGate(place);
});
afterEach(async () => {
  await place.close();
});

const FILES = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'README.md': 'readme\n' };
const append = (path: string, content: string) => ({ append: { path, content } });
const land = (repo: string, steps: readonly unknown[], paths = ['src'], ...more: string[]) =>
  place.run(
    'run',
    '--repo',
    repo,
    '--tickets',
    place.tickets('tickets', { A: scripted({ id: 'A', paths }, steps) }),
    '--gate',
    gate.command,
    '--no-wait',
    ...more,
  );

describe('where the user works', () => {
  it('in a linked work tree with the base: it moves along, and its uncommitted work holds the job', async () => {
    const repo = place.repository('repo', FILES);
    place.git(repo, 'checkout', '-q', '-b', 'mine');
    const linked = join(place.root, 'linked');
    place.git(repo, 'worktree', 'add', '-q', linked, 'main');
    writeFileSync(join(linked, 'src/b.ts'), 'unsaved\n');
    const steps = [append('src/a.ts', 'A\n')];
    const held = await land(repo, steps, ['src'], '--base', 'main');
    expect(held.summary.A).toMatchObject({
      state: 'held',
      cause: { code: 'uncommitted-work', path: linked, files: ['src/b.ts'] },
    });
    expect(readFileSync(join(linked, 'src/a.ts'), 'utf8')).toBe('a\n');
    place.git(linked, 'checkout', '-q', '--', 'src/b.ts');
    const landed = await land(repo, steps, ['src'], '--base', 'main');
    expect(landed.summary.A?.state).toBe('merged');
    expect(readFileSync(join(linked, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
    expect(place.git(linked, 'status', '--porcelain')).toBe('');
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
    expect(place.git(repo, 'branch', '--show-current')).toBe('mine');
  });

  it('on another branch with unsaved files: the base moves and nothing of theirs does', async () => {
    const repo = place.repository('repo', FILES);
    place.git(repo, 'checkout', '-q', '-b', 'mine');
    writeFileSync(join(repo, 'src/a.ts'), 'unsaved\n');
    writeFileSync(join(repo, 'new.txt'), 'new\n');
    const landed = await land(repo, [append('src/a.ts', 'A\n')], ['src'], '--base', 'main');
    expect(landed.summary.A?.state).toBe('merged');
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('unsaved\n');
    expect(place.git(repo, 'show', 'main:src/a.ts')).toBe('a\nA');
    expect(place.git(repo, 'status', '--porcelain').split('\n')).toEqual(['M src/a.ts', '?? new.txt']);
  });

  it('with a file of theirs where the job adds one, ignored or not: it holds the job and stays', async () => {
    const repo = place.repository('repo', { ...FILES, '.gitignore': 'notes.txt\n' });
    writeFileSync(join(repo, 'notes.txt'), 'mine\n');
    writeFileSync(join(repo, 'src/new.ts'), 'mine\n');
    const steps = [
      { write: { path: 'src/new.ts', content: 'new\n' } },
      { run: 'echo notes > notes.txt; git add -f notes.txt; git commit -qm notes' },
    ];
    const held = await land(repo, steps, ['src', 'notes.txt']);
    expect(held.summary.A).toMatchObject({ state: 'held', cause: { code: 'uncommitted-work' } });
    expect((held.summary.A?.cause as { files?: string[] } | undefined)?.files?.toSorted()).toEqual([
      'notes.txt',
      'src/new.ts',
    ]);
    expect(readFileSync(join(repo, 'notes.txt'), 'utf8')).toBe('mine\n');
    rmSync(join(repo, 'notes.txt'));
    rmSync(join(repo, 'src/new.ts'));
    expect((await land(repo, steps, ['src', 'notes.txt'])).summary.A?.state).toBe('merged');
    expect(readFileSync(join(repo, 'src/new.ts'), 'utf8')).toBe('new\n');
  });

  it('while another git command of theirs holds the index: it is waited for, not refused', async () => {
    const repo = place.repository('repo', FILES);
    const lock = join(repo, '.git/index.lock');
    writeFileSync(lock, '');
    const held = await land(repo, [append('src/a.ts', 'A\n')]);
    expect(held.summary.A).toMatchObject({ state: 'held', cause: { code: 'uncommitted-work' } });
    expect(held.summary.A?.reason).toContain('index.lock');
    rmSync(lock);
    expect((await land(repo, [append('src/a.ts', 'A\n')])).summary.A?.state).toBe('merged');
  });
});

describe('line ends', () => {
  it('of a checkout with autocrlf stay as they are, and nothing but the change lands', async () => {
    const repo = place.repository('repo', { ...FILES, '.gitattributes': '*.txt text eol=crlf\n' });
    place.git(repo, 'config', 'core.autocrlf', 'true');
    writeFileSync(join(repo, 'dos.txt'), 'one\r\ntwo\r\n');
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-qm', 'dos');
    place.git(repo, 'rm', '-q', '-r', '--cached', '.');
    place.git(repo, 'reset', '-q', '--hard');
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
    const landed = await land(
      repo,
      [append('src/a.ts', 'A\n'), append('dos.txt', 'three\r\n')],
      ['src', 'dos.txt'],
    );
    expect(landed.summary.A).toMatchObject({ state: 'merged', files: ['dos.txt', 'src/a.ts'] });
    expect(place.git(repo, 'diff', '--numstat', 'main~1', 'main').split('\n')).toEqual([
      '1\t0\tdos.txt',
      '1\t0\tsrc/a.ts',
    ]);
    expect(readFileSync(join(repo, 'dos.txt'), 'utf8')).toBe('one\r\ntwo\r\nthree\r\n');
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });
});

describe('what counts as changed', () => {
  it('a rename under both names, a deletion, a mode, a link, a submodule and a binary file', async () => {
    const library = place.repository('library', { 'lib.txt': '1\n' });
    const first = place.git(library, 'rev-parse', 'HEAD');
    place.write('library/lib.txt', '2\n');
    place.git(library, 'commit', '-qam', 'two');
    const second = place.git(library, 'rev-parse', 'HEAD');
    const repo = place.repository('repo', {
      ...FILES,
      'gone.txt': 'gone\n',
      'old/name.txt': 'a text long enough to be found again under its new name\n',
      'tool.sh': '#!/bin/sh\n',
    });
    mkdirSync(join(repo, 'assets'));
    writeFileSync(join(repo, 'assets/logo.bin'), Buffer.from([0, 1, 2, 255]));
    symlinkSync('README.md', join(repo, 'link'));
    place.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/lib');
    place.git(join(repo, 'vendor/lib'), 'checkout', '-q', first);
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-qm', 'kinds');
    place.git(join(repo, 'vendor/lib'), 'checkout', '-q', first);
    const from = place.git(repo, 'rev-parse', 'main');
    const landed = await land(
      repo,
      [
        {
          run: [
            'git mv old new && git rm -q gone.txt && chmod +x tool.sh && ln -sf src/a.ts link',
            "printf '\\000\\001\\003' > assets/logo.bin",
            `git update-index --cacheinfo 160000,${second},vendor/lib && git commit -qm bump`,
          ].join(' && '),
        },
      ],
      ['src'],
    );
    const files = [
      'assets/logo.bin',
      'gone.txt',
      'link',
      'new/name.txt',
      'old/name.txt',
      'tool.sh',
      'vendor/lib',
    ];
    expect(landed.summary.A?.state).toBe('merged');
    expect(landed.summary.A?.files.toSorted()).toEqual(files);
    expect(landed.summary.A?.strayed.toSorted()).toEqual(files);
    expect(place.git(repo, 'ls-tree', 'main', 'vendor/lib')).toContain(second);
    expect(lstatSync(join(repo, 'tool.sh')).mode & 0o111).not.toBe(0);
    expect(existsSync(join(repo, 'gone.txt'))).toBe(false);
    expect(landedUngated(place, repo, from, gate.seen())).toEqual([]);
    chmodSync(join(repo, 'tool.sh'), 0o755);
  });
});
