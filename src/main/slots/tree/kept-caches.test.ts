import { describe, expect, it } from 'vitest';
import { installRule, keepRule } from './kept-caches.ts';

describe('what a reset keeps', () => {
  const caches = ['.cache', '/build/out', '*.tsbuildinfo', '.next/cache', '.eslintcache'];
  const rule = installRule(caches);

  it.each([
    ['node_modules', 'directory', 'keep'],
    ['packages/a/node_modules', 'directory', 'keep'],
    ['.next', 'directory', 'descend'],
    ['apps/web/.next/cache', 'directory', 'keep'],
    ['apps/web/.next/server', 'directory', 'remove'],
    ['apps/web/.next/cache/deep/file', 'file', 'keep'],
    ['.eslintcache', 'file', 'keep'],
    ['a/b/x.tsbuildinfo', 'file', 'keep'],
    ['build', 'directory', 'descend'],
    ['build/out', 'directory', 'keep'],
    ['sub/build', 'directory', 'remove'],
    ['.yarn', 'directory', 'descend'],
    ['.pnp.cjs', 'file', 'keep'],
    ['xnode_modules', 'directory', 'remove'],
  ] as const)('%s (%s): %s', (path, kind, verdict) => {
    expect(rule(path, kind)).toBe(verdict);
  });

  it('never keeps a link, whatever its name', () => {
    for (const path of ['node_modules', '.cache', '.next/cache', '.eslintcache']) {
      expect(rule(path, 'other')).toBe('remove');
    }
  });

  it('keeps no cache that nobody named', () => {
    for (const path of ['.next/cache', '.turbo', 'node_modules/.cache']) {
      expect(keepRule([], [])(path, 'directory')).toBe('remove');
    }
    expect(keepRule([], [])('.eslintcache', 'file')).toBe('remove');
  });

  it('keeps packages only where an install vouches for them', () => {
    expect(keepRule([], [])('node_modules', 'directory')).toBe('remove');
    expect(keepRule([], [])('.pnp.cjs', 'file')).toBe('remove');
    const installed = keepRule(['.cache'], ['node_modules', 'packages/a/node_modules', '.pnp.cjs']);
    expect(installed('node_modules', 'directory')).toBe('keep');
    expect(installed('packages', 'directory')).toBe('descend');
    expect(installed('packages/a/node_modules', 'directory')).toBe('keep');
    expect(installed('.pnp.cjs', 'file')).toBe('keep');
    for (const path of ['packages/b/node_modules', 'src/node_modules', 'node_modules2', 'packages/a/x']) {
      expect(installed(path, 'directory')).toBe('remove');
    }
    expect(installed('packages/b/.cache', 'directory')).toBe('keep');
  });

  it.each(['', '/', '*', '**', '**/x', '..', 'a/../../b', '.git', 'a/.GIT/b', 'a\\b'])(
    'refuses to keep %j',
    (pattern) => {
      expect(() => keepRule([pattern], [])).toThrow(/can't be kept/);
    },
  );
});
