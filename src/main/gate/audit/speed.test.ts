import typescript from 'typescript';
import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../policy/policy.ts';
import type { Tree } from './commit-tree.ts';
import { collectFacts } from './facts.ts';
import { speedProposals } from './speed.ts';

const CHECKS = { compilerOptions: { strict: true, noEmit: true, types: [] }, include: ['src'] };
const ESLINT = "import js from '@eslint/js';\nexport default [js.configs.recommended];\n";

function proposals(scripts: Record<string, string>, more: Record<string, string | object> = {}): string[] {
  const files = new Map(
    Object.entries({ 'package.json': { scripts }, 'src/a.ts': 'export const a = 1;\n', ...more }).map(
      ([path, content]) => [path, typeof content === 'string' ? content : JSON.stringify(content)] as const,
    ),
  );
  const tree: Tree = {
    files: [...files.keys()],
    has: (path) => files.has(path),
    read: (path) => files.get(path),
    readInstalled: () => undefined,
  };
  const policy = resolvePolicy({ readFile: (path) => files.get(path) });
  return speedProposals(collectFacts(typescript, tree, policy, { slotRoot: '/data/slots/0123456789' }));
}

describe('speedProposals', () => {
  it('lets a compiler that writes nothing keep what it knew, in a place of its own', () => {
    expect(proposals({ typecheck: 'tsc' }, { 'tsconfig.json': CHECKS })).toEqual([
      'typecheck: run: npm run typecheck -- --incremental --tsBuildInfoFile node_modules/.cache/types/info, caches: [node_modules/.cache/types]',
    ]);
    expect(
      proposals({ typecheck: 'tsc --noEmit && tsc --noEmit -p tools' }, { 'tsconfig.json': {} }),
    ).toEqual([
      expect.stringContaining('give `tsc --noEmit --incremental'),
      expect.stringContaining('give `tsc --noEmit -p tools --incremental'),
    ]);
  });

  it.each<[string, Record<string, string>, Record<string, string | object>]>([
    ['writes what it compiles', { typecheck: 'tsc' }, { 'tsconfig.json': { include: ['src'] } }],
    ['builds', { typecheck: 'tsc -b' }, { 'tsconfig.json': CHECKS }],
    [
      'keeps its knowledge already',
      { typecheck: 'tsc --incremental --tsBuildInfoFile x' },
      { 'tsconfig.json': CHECKS },
    ],
    [
      'looks at types in its rules',
      { lint: 'eslint .' },
      { 'eslint.config.js': ESLINT.replace('js.', 'js.recommendedTypeChecked.') },
    ],
    [
      'has rules of a package that is not known',
      { lint: 'eslint .' },
      { 'eslint.config.js': `import x from '@acme/rules';\n${ESLINT}` },
    ],
    [
      'follows imports',
      { lint: 'eslint .' },
      { '.eslintrc.json': { extends: ['plugin:import/recommended'] } },
    ],
    [
      'has a cache of its own',
      {},
      {
        'headway.yaml': 'gate: [{ name: t, run: npx tsc --noEmit, caches: [.cache] }]',
        'tsconfig.json': CHECKS,
      },
    ],
  ])('proposes no flag where the check %s', (_what, scripts, files) => {
    expect(proposals(scripts, files)).toEqual([]);
  });

  it('lets a linter keep what it knew where its rules look at one file at a time', () => {
    const run =
      'lint: run: pnpm run lint --cache --cache-strategy content --cache-location node_modules/.cache/eslint/, caches: [node_modules/.cache/eslint]';
    const files = { 'pnpm-lock.yaml': '' };
    expect(proposals({ lint: 'eslint .' }, { ...files, 'eslint.config.js': ESLINT })).toEqual([run]);
    expect(
      proposals({ lint: 'eslint .' }, { ...files, '.eslintrc.json': { extends: ['eslint:recommended'] } }),
    ).toEqual([run]);
  });

  it('names the steps that are known to write nothing, and none that may', () => {
    const files = { 'tsconfig.json': CHECKS };
    const beside = (scripts: Record<string, string>): string[] =>
      proposals(scripts, files).filter((text) => text.includes('side by side'));
    const both = ['lint, typecheck: writes: [] lets lint, typecheck run side by side'];
    expect(beside({ lint: 'biome check .', typecheck: 'tsc', test: 'vitest run' })).toEqual(both);
    expect(beside({ lint: 'biome check --write .', typecheck: 'tsc' })).toEqual([]);
    expect(beside({ lint: 'biome check . && rm -rf dist', typecheck: 'tsc' })).toEqual([]);
    expect(beside({ lint: 'eslint --cache .', typecheck: 'tsc' })).toEqual([]);
  });
});
