import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../processes/environment.ts';
import { CappedOutput } from './capped-output.ts';
import { runTool, TOOLS } from './tools.ts';

describe.runIf(process.platform !== 'win32')('tools', () => {
  let root: string;
  let dir: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headway-tools-'));
    dir = join(root, 'slot');
    await mkdir(join(dir, 'src/deep'), { recursive: true });
    await writeFile(join(dir, 'src/a.txt'), 'one\ntwo\ntwo\n');
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const use = async (name: string, input: unknown): Promise<string> => {
    const signal = new AbortController().signal;
    const call = { id: '1', name, input };
    const result = await runTool(call, { dir, env: childEnvironment(), signal, output: () => undefined });
    return result.failed ? `error: ${result.text}` : result.text;
  };

  it('tells a model its tools as JSON schemas', () => {
    expect(TOOLS.map((tool) => tool.name)).toEqual(['list', 'read', 'write', 'edit', 'run']);
    expect(TOOLS[3]?.parameters).toMatchObject({ type: 'object', required: ['path', 'old', 'new'] });
  });

  it('lists without following links or entering what is huge', async () => {
    await mkdir(join(dir, 'node_modules/x'), { recursive: true });
    await symlink(root, join(dir, 'up'));
    expect(await use('list', {})).toBe('node_modules/ (not listed)\nsrc/\nsrc/a.txt\nsrc/deep/\nup@');
    expect(await use('list', { path: 'up' })).toMatch(/^error: .*leaves the directory through a link/);
  });

  it('reads a part, and says of what', async () => {
    expect(await use('read', { path: 'src/a.txt' })).toBe('one\ntwo\ntwo');
    expect(await use('read', { path: 'src/a.txt', offset: 2, limit: 1 })).toBe('two\n[lines 2 to 2 of 3]');
    expect(await use('read', { path: 'src/a.txt', offset: 9 })).toMatch(/^error: .*has 3 lines only/);
    await writeFile(join(dir, 'long.txt'), `${'y'.repeat(100)}\n`.repeat(1000));
    expect(await use('read', { path: 'long.txt' })).toMatch(/…\n\[lines 1 to 487 of 1000\]$/);
  });

  it('refuses what is no text, and what would never end', async () => {
    await writeFile(join(dir, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await use('run', { command: 'mkfifo pipe' })).toBe('exit 0\n');
    expect(await use('read', { path: 'binary' })).toMatch(/no UTF-8 text/);
    expect(await use('read', { path: 'pipe' })).toMatch(/no regular file/);
    expect(await use('write', { path: 'pipe', content: 'x' })).toMatch(/no regular file/);
    expect(await use('read', { path: 'src' })).toMatch(/is a folder; list it/);
    expect(await use('read', { path: 'none' })).toMatch(/there is no none/);
  });

  it('writes nothing through a link that leaves the slot', async () => {
    await mkdir(join(root, 'outside'));
    await symlink(join(root, 'outside'), join(dir, 'link'));
    await symlink(join(root, 'outside/new.txt'), join(dir, 'dangling'));
    for (const path of ['link/x.txt', 'dangling', '../outside/y.txt', 'src/../../outside/z.txt']) {
      expect(await use('write', { path, content: 'x' })).toMatch(/^error: /);
    }
    expect(await use('run', { command: 'ls ../outside' })).toBe('exit 0\n');
  });

  it('edits one place, or all where it is told', async () => {
    expect(await use('edit', { path: 'src/a.txt', old: 'two', new: '2' })).toMatch(/^error: .*2 times/);
    expect(await use('edit', { path: 'src/a.txt', old: 'three', new: '3' })).toMatch(
      /^error: .*does not hold/,
    );
    expect(await use('edit', { path: 'src/a.txt', old: 'two', new: '$&', all: true })).toContain('2 places');
    expect(await readFile(join(dir, 'src/a.txt'), 'utf8')).toBe('one\n$&\n$&\n');
  });

  it('ends a command at its limit and keeps both ends of a flood', async () => {
    expect(await use('run', { command: 'echo first; sleep 300', timeoutSeconds: 1 })).toBe(
      'error: ended after 1 s, its limit\nfirst\n',
    );
    const flood = await use('run', { command: 'echo begin; seq 1 20000; echo end' });
    expect(flood).toMatch(
      /^exit 0\nbegin\n1\n2\n[\s\S]*\n\[\d+ bytes are left out\]\n[\s\S]*\n20000\nend\n$/,
    );
    expect(flood.length).toBeLessThan(26_000);
  });
});

describe('CappedOutput', () => {
  it('loses nothing below its limit, however the bytes come', () => {
    const text = 'grün 漢字 😀\n'.repeat(20);
    const kept = new CappedOutput(1000);
    for (const byte of Buffer.from(text)) kept.push(Uint8Array.of(byte));
    expect(kept.text()).toBe(text);
  });
});
