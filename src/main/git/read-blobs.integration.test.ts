import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBlobs } from './read-blobs.ts';

let dir: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' }).trim();
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'headway-blobs-'));
  git('init', '-q', '-b', 'main');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('reads by id and by path, with any bytes in between, and leaves out what is missing or no file', async () => {
  const files = { 'a.txt': 'one\n\ntwo missing\n', 'ä b.txt': '', 'c.txt': 'ünï\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  git('add', '-A');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.invalid', 'commit', '-q', '-m', 'x');
  const id = git('rev-parse', 'HEAD:c.txt');
  const names = [
    'HEAD^{tree}',
    'HEAD:a.txt',
    'HEAD:nowhere',
    'HEAD:ä b.txt',
    id,
    id,
    'HEAD:two\nlines',
    'f'.repeat(40),
  ];
  expect([...(await readBlobs(dir, names))]).toEqual([
    ['HEAD:a.txt', files['a.txt']],
    ['HEAD:ä b.txt', ''],
    [id, files['c.txt']],
  ]);
  expect(await readBlobs(dir, [])).toEqual(new Map());
  rmSync(join(dir, '.git'), { recursive: true });
  await expect(readBlobs(dir, names)).rejects.toThrow('can not be read');
});
