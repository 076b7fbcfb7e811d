import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Audit } from '../../../shared/gate-report.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const FILES = {
  'package.json': '{"name":"x","private":true,"scripts":{"test":"node --test"}}\n',
  'a.test.js': "require('node:test')('adds', () => {});\n",
};

describe.runIf(process.platform !== 'win32')('headway gate run', () => {
  it('gives each verdict an exit code of its own, with the evidence of its steps', async () => {
    const repo = place.repository('repo', FILES);
    const gate = async (...args: string[]) => {
      const { exit, lines, error } = await place.run('gate', 'run', '--repo', repo, ...args);
      return { exit, error, line: lines.find(({ type }) => type === 'gate') };
    };
    expect(await gate()).toMatchObject({
      exit: 0,
      line: {
        verdict: 'green',
        steps: [{ command: 'npm test', exit: 0, verdict: 'green', evidence: { testsPassed: 1 } }],
      },
    });
    expect(await gate('--gate', 'false')).toMatchObject({ exit: 1, line: { verdict: 'red' } });
    expect(await gate('--gate', 'npm test || true')).toMatchObject({ exit: 4, line: { verdict: 'vacuous' } });
    expect(await gate('--gate', 'no-such-program')).toMatchObject({ exit: 5, line: { verdict: 'broken' } });
    expect(await gate('--ref', 'nowhere')).toMatchObject({ exit: 2, error: { code: 'bad-input' } });

    place.git(repo, 'checkout', '-q', '-b', 'weaker');
    place.write('repo/headway.yaml', 'gate: ["true"]\n');
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-q', '-m', 'weaken');
    expect(await gate('--ref', 'weaker')).toMatchObject({
      exit: 6,
      line: { verdict: 'tampered', reason: expect.stringContaining('headway.yaml') },
    });
  });

  it('holds notes against the schema of the base, and lets no change loosen it', async () => {
    const schema = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } };
    const repo = place.repository('vault', {
      'headway.yaml': 'gate:\n  - builtin: markdown\n    frontMatter: { "notes/**": schemas/note.json }\n',
      'schemas/note.json': JSON.stringify(schema),
      'notes/a.md': '---\ntitle: A\n---\n',
      'notes/b.md': '---\ntitle: B\n---\n',
    });
    const gate = async (ref: string) => {
      const { exit, lines } = await place.run('gate', 'run', '--repo', repo, '--ref', ref);
      return { exit, line: lines.find(({ type }) => type === 'gate') };
    };
    expect(await gate('main')).toMatchObject({
      exit: 0,
      line: { steps: [{ reason: expect.stringContaining('front matter of 2 in notes/**') }] },
    });
    const branch = (name: string, files: Record<string, string>): void => {
      place.git(repo, 'checkout', '-q', '-b', name, 'main');
      for (const [path, text] of Object.entries(files)) place.write(`vault/${path}`, text);
      place.git(repo, 'commit', '-qam', name);
    };
    branch('wrong', { 'notes/b.md': '---\ntags: [x]\ntitle: 5\n---\n' });
    const wrong = await gate('wrong');
    expect(wrong.exit).toBe(1);
    expect(JSON.stringify(wrong.line)).toContain('notes/b.md:3: front matter: title is wrong');
    branch('loose', { 'notes/b.md': '---\ntitle: 5\n---\n', 'schemas/note.json': '{}' });
    expect(await gate('loose')).toMatchObject({
      exit: 6,
      line: { reason: expect.stringContaining('schemas/note.json') },
    });
  });

  it('is ungated where nothing checks the repository, and says so with code 3', async () => {
    const repo = place.repository('plain', { 'notes.txt': 'a\n' });
    const { exit, lines } = await place.run('gate', 'run', '--repo', repo);
    expect(exit).toBe(3);
    expect(lines.at(-1)).toMatchObject({ verdict: 'ungated', steps: [] });
  });
});

describe('headway gate audit', () => {
  const audit = async (dir: string, ...args: string[]) => {
    const { exit, lines, error } = await place.run('gate', 'audit', '--repo', dir, ...args);
    const found = lines.findLast(({ type }) => type === 'audit') as unknown as Audit | undefined;
    return { exit, error, kinds: found?.findings.map(({ kind }) => kind) };
  };

  it('finds what each of four repositories leaves out, and mends what it may', async () => {
    const runner = place.repository('runner', {
      'package.json':
        '{"name":"r","private":true,"scripts":{"typecheck":"tsc --noEmit","test":"vitest run"}}',
      'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[]},"include":["src"]}',
      'vitest.config.ts': "export default { test: { include: ['src/**/*.test.ts'] } };\n",
      'src/a.ts': 'export const a = 1;\n',
      'src/a.test.ts': '',
      'src/b.test.tsx': '',
      'tools/c.ts': 'export const c = 1;\n',
    });
    expect(await audit(runner)).toEqual({
      exit: 1,
      error: undefined,
      kinds: expect.arrayContaining(['typecheck-leaves-out', 'tests-never-run']),
    });

    const product = place.repository('product', {
      'package.json':
        '{"name":"p","private":true,"scripts":{"lint":"eslint .","build":"vite build","test":"vitest run"}}',
      'headway.yaml': 'gate: ["node --version && test -f package.json"]\n',
      'src/a.js': '',
      'src/a.test.js': '',
    });
    expect((await audit(product)).kinds).toEqual(expect.arrayContaining(['script-not-wired', 'no-build']));
    expect((await audit(product, '--fix')).kinds).toEqual([]);

    const vault = place.repository('vault', { 'a.md': '[[b]]\n', 'b.md': '[[c]]\n', 'c.md': 'x\n' });
    expect(await audit(vault)).toMatchObject({ exit: 1, kinds: ['ungated'] });
    expect(await audit(vault, '--fix')).toMatchObject({ exit: 0, kinds: [] });
    const gate = await place.run('gate', 'run', '--repo', vault);
    expect(gate.lines.at(-1)).toMatchObject({ verdict: 'green', steps: [{ command: 'builtin:markdown' }] });

    place.write('folder/a.txt', 'x');
    expect(await audit(join(place.root, 'folder'))).toMatchObject({ exit: 1, kinds: ['not-a-work-tree'] });
    expect(await audit(join(place.root, 'nowhere'))).toMatchObject({ exit: 2, error: { code: 'bad-input' } });
  });

  it('looks at every registered repository, also where one is gone', async () => {
    const kept = place.repository('kept', { 'a.txt': 'x' });
    const gone = place.repository('gone', { 'a.txt': 'x' });
    for (const repo of [kept, gone])
      await place.run('gate', 'run', '--repo', repo, '--gate', 'test -f a.txt');
    rmSync(gone, { recursive: true });
    const { exit, lines } = await place.run('gate', 'audit', '--all');
    expect(exit).toBe(1);
    const kinds = lines
      .filter(({ type }) => type === 'audit')
      .map((line) => (line as unknown as Audit).findings[0]?.kind);
    expect(kinds).toEqual(['ungated', 'not-a-work-tree']);
  });
});
