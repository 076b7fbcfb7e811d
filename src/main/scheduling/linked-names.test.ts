import { describe, expect, it } from 'vitest';
import { claimsOverlap, toClaim } from './claims.ts';
import { LinkedNames } from './linked-names.ts';
import { trackedPaths } from './tracked-paths.ts';

const FILES = ['AGENTS.md', 'README.md', 'docs/guide.md', 'packages/core/src/a.ts', 'packages/core/src/b.ts'];
const LINKS: Record<string, string> = {
  'CLAUDE.md': 'AGENTS.md',
  'docs/agents.md': '../CLAUDE.md',
  'docs/readme.md': '../README.md',
  src: 'packages/core/src',
  'packages/core/docs': '../../docs',
  'caf\u00e9.md': 'README.md',
  manifest: 'package.json',
  up: '../elsewhere/x',
  hosts: '/etc/hosts',
  drive: 'C:\\x',
  gone: 'packages/gone.ts',
  'ring/a': 'b',
  'ring/b': './../ring/a',
  self: '.',
  hooks: '.git/hooks',
  unread: '',
  inner: 'vendor/lib/src/x.ts',
  escape: 'vendor/lib/../../README.md',
  'fixtures/gone': '../packages/new.ts',
  'fixtures/loop': 'loop',
  'wild/out': '../../out',
};
const root = '/srv/shop';
const tracked = trackedPaths([...FILES, 'package.json', 'vendor/lib', ...Object.keys(LINKS)]);
const names = new LinkedNames({
  tracked,
  links: Object.entries(LINKS).map(([path, target]) => ({
    path,
    target: path === 'unread' ? undefined : target,
  })),
  submodules: ['vendor/lib'],
});
const declared = (paths: readonly string[]) => toClaim(paths, { root, tracked, names, from: 'declared' });
const overlap = (a: string, b: string): boolean => claimsOverlap(declared([a]), declared([b])) !== undefined;

describe('two names of one file', () => {
  it.each([
    ['a link and its file', 'CLAUDE.md', 'AGENTS.md'],
    ['a link to a link and the file', 'docs/agents.md', 'AGENTS.md'],
    ['two links to one file', 'docs/agents.md', 'CLAUDE.md'],
    ['a file through a linked directory', 'src/a.ts', 'packages/core/src/a.ts'],
    ['a new file through a linked directory', 'src/new/x.ts', 'packages/core/src/new'],
    ['a linked directory and a file in the real one', 'src', 'packages/core/src/b.ts'],
    ['a pattern through a linked directory', 'src/**/*.ts', 'packages/core/src/a.ts'],
    ['a directory that holds a link, and its file', 'docs', 'README.md'],
    ['a directory with a link to a directory with a link', 'packages/core', 'README.md'],
    ['a module without its extension that is a link', 'docs/readme', 'README.md'],
    ['a link in other case', 'DOCS/Readme.MD', 'README.md'],
    ['a link in another Unicode form', 'cafe\u0301.md', 'README.md'],
    ['two files of one submodule', 'vendor/lib/a.ts', 'vendor/lib/b.ts'],
    ['a link into a submodule and another file of it', 'inner', 'vendor/lib/b.ts'],
    ['what a link in a directory would make', 'fixtures', 'packages/new.ts'],
  ])('holds apart %s', (_, a, b) => {
    expect(overlap(a, b)).toBe(true);
    expect(overlap(b, a)).toBe(true);
  });

  it.each([
    ['what no link joins', 'docs/guide.md', 'README.md'],
    ['two files through one linked directory', 'src/a.ts', 'packages/core/src/b.ts'],
    ['a directory with a circle in it', 'fixtures', 'docs'],
  ])('lets run together %s', (_, a, b) => {
    expect(overlap(a, b)).toBe(false);
    expect(overlap(b, a)).toBe(false);
  });

  it('are both in the claim, since the link itself may be what is changed', () => {
    expect(declared(['src/a.ts'])).toMatchObject({ paths: ['src/a.ts', 'packages/core/src/a.ts'] });
    expect(declared(['vendor/lib/a.ts'])).toMatchObject({ paths: ['vendor/lib'] });
  });
});

describe('a link touches everything', () => {
  it.each([
    ['up', 'leads out of the repository'],
    ['hosts', 'leads out of the repository'],
    ['drive', 'leads out of the repository'],
    ['hosts/x', 'leads out of the repository'],
    ['gone', 'packages/gone.ts, which is not in the repository'],
    ['ring/a', 'leads in a circle'],
    ['ring/b/x', 'leads in a circle'],
    ['self', 'leads to the whole repository'],
    ['hooks', "git's own directory"],
    ['unread', 'could not be read'],
    ['escape', 'leads through a submodule'],
    ['manifest', 'manifest leads to package.json, a hub file'],
    ['wild', 'holds wild/out, which leads out'],
  ])('where %s', (path, why) => {
    const claim = declared(['docs/guide.md', path]);
    expect(claim.kind === 'everything' ? claim.why : JSON.stringify(claim)).toContain(why);
  });

  it('where it is one of two that some file system takes for one', () => {
    const twins = new LinkedNames({
      tracked,
      links: [
        { path: 'Link', target: 'README.md' },
        { path: 'link', target: 'AGENTS.md' },
      ],
      submodules: [],
    });
    expect(twins.namesOf('LINK')).toMatchObject({ kind: 'everything' });
  });
});

describe('a chain of links', () => {
  const chain = (length: number) =>
    new LinkedNames({
      tracked,
      links: Array.from({ length }, (_, i) => ({
        path: `l${i}`,
        target: i + 1 < length ? `l${i + 1}` : 'README.md',
      })),
      submodules: [],
    });

  it('is followed as far as a system follows it, whatever was asked before', () => {
    expect(chain(40).namesOf('l0')).toEqual({ kind: 'paths', paths: ['l0', 'README.md'] });
    const long = chain(100_000);
    expect(long.namesOf('l0')).toMatchObject({ kind: 'everything' });
    expect(long.namesOf('l99990')).toEqual({ kind: 'paths', paths: ['l99990', 'README.md'] });
    expect(long.namesOf('l0')).toMatchObject({ kind: 'everything' });
  });

  it('that multiplies ends soon', () => {
    const links = Array.from({ length: 30 }, (_, i) => ({
      path: `d/l${i}`,
      target: `l${i + 1}/../l${i + 1}/../l${i + 1}`,
    }));
    const names = new LinkedNames({ tracked, links, submodules: [] });
    expect(names.namesOf('d').kind).toBe('paths');
    const many = Array.from({ length: 2_000 }, (_, i) => ({ path: `m/${i}`, target: `../to/${i}` }));
    expect(new LinkedNames({ tracked, links: many, submodules: [] }).namesOf('m')).toMatchObject({
      kind: 'everything',
    });
  });
});
