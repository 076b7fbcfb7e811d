import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from './git.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "headway-git's-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a repository whose configuration is broken', () => {
  it.each([
    ['a value that is none', '[core]\n\tbare = maybe\n'],
    [
      'an extension that nobody knows',
      '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardof = 1\n',
    ],
    ['a version that nobody knows', '[core]\n\trepositoryformatversion = 9\n'],
    ['that it is bare', '[core]\n\tbare = true\n'],
    ['a work tree that is not there', '[core]\n\tworktree = /nowhere/at/all\n'],
  ])('with %s: the error names the command that mends it', async (_, text) => {
    await git(['init', '--quiet', '.'], { cwd: root });
    appendFileSync(join(root, '.git', 'config'), text);
    const asked = git(['status', '--porcelain'], { cwd: root });
    const message = await asked.then(
      () => '',
      (thrown: Error) => thrown.message,
    );
    const command = /: (git -C \/ config .*)$/.exec(message)?.[1] ?? `no command: ${message}`;
    execFileSync('/bin/sh', ['-c', command]);
    await expect(git(['status', '--porcelain'], { cwd: root })).resolves.toMatchObject({ exit: 0 });
  });

  it('with a line that is no setting: the error names file and line', async () => {
    await git(['init', '--quiet', '.'], { cwd: root });
    const file = join(root, '.git', 'config');
    const lines = readFileSync(file, 'utf8').split('\n').length;
    appendFileSync(file, 'not a setting\n');
    await expect(git(['status'], { cwd: root })).rejects.toThrow(
      `line ${lines} of ${file} is no setting: mend or remove it`,
    );
    writeFileSync(file, readFileSync(file, 'utf8').replace('not a setting\n', ''));
    await expect(git(['status'], { cwd: root })).resolves.toMatchObject({ exit: 0 });
  });
});
