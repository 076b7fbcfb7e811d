import { describe, expect, it } from 'vitest';
import { keepRule } from './kept-caches.ts';

describe('what a reset keeps', () => {
  const rule = keepRule(['.cache', '/build/out', '*.tsbuildinfo'], true);

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

  it('keeps packages only where an install vouches for them', () => {
    expect(keepRule([], false)('node_modules', 'directory')).toBe('remove');
    expect(keepRule([], false)('.pnp.cjs', 'file')).toBe('remove');
  });

  it.each(['', '/', '*', '**', '**/x', '..', 'a/../../b', '.git', 'a/.GIT/b', 'a\\b'])(
    'refuses to keep %j',
    (pattern) => {
      expect(() => keepRule([pattern], false)).toThrow(/can't be kept/);
    },
  );
});
