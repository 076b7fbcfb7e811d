import typescript from 'typescript';
import { expect, it } from 'vitest';
import type { Tree } from './commit-tree.ts';
import { importReach } from './typecheck-facts.ts';

it.each([
  ['without a base URL', { paths: { '@app/*': ['./src/*'] } }],
  ['with a base URL', { baseUrl: 'src', paths: { '@app/*': ['*'] } }],
])('follows what a test imports through path mappings %s', (_what, compilerOptions) => {
  const files = new Map([
    ['tsconfig.json', JSON.stringify({ compilerOptions })],
    ['src/a.ts', "export * from '@app/b';\n"],
    ['src/b.ts', 'export const b = 1;\n'],
    ['test/a.test.ts', "import { b } from '@app/a';\n"],
  ]);
  const tree: Tree = {
    files: [...files.keys()],
    has: (path) => files.has(path),
    read: (path) => files.get(path),
    readInstalled: () => undefined,
  };
  const reach = importReach(typescript, tree, ['test/a.test.ts']);
  expect([...(reach.get('test/a.test.ts') ?? [])].toSorted()).toEqual(['src/a.ts', 'src/b.ts']);
});
