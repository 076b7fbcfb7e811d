import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../git/changed-files.ts';
import { resolvePolicy } from '../policy/policy.ts';
import { gateDefiningChanges } from './tampering.ts';

type Files = Record<string, string>;

/** What changes between two sets of files, as git would tell it. */
function tampered(
  base: Files,
  head: Files,
  options: { override?: string[]; moved?: [string, string][] } = {},
): string[] {
  const changed: ChangedFile[] = [];
  const common = { kind: 'file', modeChanged: false } as const;
  for (const path of new Set([...Object.keys(base), ...Object.keys(head)])) {
    if (base[path] === head[path]) continue;
    const change = base[path] === undefined ? 'added' : head[path] === undefined ? 'deleted' : 'modified';
    const movedTo = options.moved?.find(([from]) => from === path)?.[1];
    changed.push({ path, change, ...common, ...(movedTo === undefined ? {} : { movedTo }) });
  }
  const policy = resolvePolicy({ readFile: (path) => base[path], override: options.override });
  return gateDefiningChanges(
    changed,
    (path) => base[path],
    (path) => head[path],
    policy,
  );
}

const json = (value: unknown): string => JSON.stringify(value);
const scripts = { test: 'vitest run', lint: 'node scripts/lint.mjs', start: 'node src/index.js' };
const base: Files = {
  'package.json': json({ scripts, dependencies: { a: '1.0.0' } }),
  'scripts/lint.mjs': 'lint',
  'src/index.js': 'code',
  'src/index.test.js': 'tests',
  'vitest.config.ts': 'config',
  'packages/x/package.json': json({ scripts: { test: 'vitest run', dev: 'vite' } }),
};
const withFile = (path: string, text: string): Files => ({ ...base, [path]: text });
const without = (path: string): Files =>
  Object.fromEntries(Object.entries(base).filter(([name]) => name !== path));

describe('gateDefiningChanges', () => {
  it.each([
    ['a source', withFile('src/index.js', 'other')],
    ['a new source', withFile('src/new.ts', 'x')],
    ['a new test', withFile('src/new.test.ts', 'x')],
    ['a changed test', withFile('src/index.test.js', 'more tests')],
    ['a dependency', withFile('package.json', json({ scripts, dependencies: { a: '2.0.0', b: '1.0.0' } }))],
    [
      'a script that the gate does not call',
      withFile('package.json', json({ scripts: { ...scripts, start: 'x', new: 'y' } })),
    ],
    [
      'the order and layout of package.json',
      withFile(
        'package.json',
        JSON.stringify(
          { dependencies: { a: '1.0.0' }, scripts: Object.fromEntries(Object.entries(scripts).reverse()) },
          undefined,
          4,
        ),
      ),
    ],
    [
      'a workspace script that checks nothing',
      withFile('packages/x/package.json', json({ scripts: { test: 'vitest run', dev: 'vite --port 1' } })),
    ],
    [
      'a whole new package with its own configuration',
      {
        ...base,
        'packages/y/package.json': '{}',
        'packages/y/tsconfig.json': '{}',
        'packages/y/src/a.test.ts': 'x',
      },
    ],
    ['a readme', withFile('README.md', 'vitest.config.ts')],
    ['a deleted source', without('src/index.js')],
    ['a new .npmrc with a setting', withFile('.npmrc', 'save-exact=true\n')],
    ['a Makefile that the gate does not use', withFile('Makefile', 'x')],
  ])('does not suspect %s', (_what, head) => {
    expect(tampered(base, head)).toEqual([]);
  });

  it.each([
    ['headway.yaml', withFile('headway.yaml', 'gate: [true]')],
    ['package.json', withFile('package.json', json({ scripts: { ...scripts, test: 'true' } }))],
    ['package.json', withFile('package.json', json({ scripts: { ...scripts, pretest: 'rm -rf src' } }))],
    ['package.json', withFile('package.json', json({ scripts, vitest: { exclude: ['**'] } }))],
    ['package.json', withFile('package.json', 'not json')],
    ['package.json', without('package.json')],
    ['packages/x/package.json', withFile('packages/x/package.json', json({ scripts: { dev: 'vite' } }))],
    ['vitest.config.ts', withFile('vitest.config.ts', 'exclude all')],
    ['vitest.config.ts', without('vitest.config.ts')],
    ['vitest.config.unit.mts', withFile('vitest.config.unit.mts', 'x')],
    ['tsconfig.build.json', withFile('tsconfig.build.json', '{}')],
    ['packages/x/tsconfig.json', withFile('packages/x/tsconfig.json', '{}')],
    ['ESLint.config.js', withFile('ESLint.config.js', 'x')],
    ['.mocharc.yml', withFile('.mocharc.yml', 'x')],
    ['biome.jsonc', withFile('biome.jsonc', 'x')],
    ['.github/workflows/ci.yml', withFile('.github/workflows/ci.yml', 'x')],
    ['src/index.test.js', without('src/index.test.js')],
    ['scripts/lint.mjs', withFile('scripts/lint.mjs', 'process.exit(0)')],
    ['.npmrc', withFile('.npmrc', 'script-shell=/bin/true\n')],
    ['.yarnrc.yml', withFile('.yarnrc.yml', 'scriptShell: x\n')],
  ])('names %s', (path, head) => {
    expect(tampered(base, head)).toEqual([path]);
  });

  it('counts a moved test as kept, and one moved out of the way as deleted', () => {
    const moved = (to: string) =>
      tampered(
        base,
        { ...without('src/index.test.js'), [to]: 'tests' },
        { moved: [['src/index.test.js', to]] },
      );
    expect(moved('test/index.test.js')).toEqual([]);
    expect(moved('src/index.test.js.bak')).toEqual(['src/index.test.js']);
  });

  it('protects the scripts of --gate, but not what they look at', () => {
    const files = { 'check.sh': 'x', 'a.txt': 'x' };
    const both = { 'check.sh': 'exit 0', 'a.txt': 'y' };
    expect(tampered(files, both, { override: ['sh check.sh', 'test -f a.txt'] })).toEqual(['check.sh']);
    expect(tampered(files, both, { override: ['./check.sh && grep y a.txt'] })).toEqual(['check.sh']);
    expect(tampered(files, both, { override: ["sh -c 'test -f a.txt'"] })).toEqual([]);
  });

  it('protects what the policy names', () => {
    const policy = { 'headway.yaml': 'gate: [x]\nprotect: ["golden/**", "*.snap", rules]' };
    const head = {
      ...policy,
      'golden/a/b.txt': 'x',
      'src/deep/a.snap': 'x',
      'rules/r.txt': 'x',
      'src/a.txt': 'x',
    };
    expect(tampered(policy, head)).toEqual(['golden/a/b.txt', 'rules/r.txt', 'src/deep/a.snap']);
  });

  it('reads TOML manifests by section', () => {
    const toml = (version: string, options: string): Files => ({
      'pyproject.toml': `[project]\nversion = "${version}"\n[tool.pytest.ini_options]\naddopts = "${options}"\n`,
    });
    expect(tampered(toml('1', '-q'), toml('2', '-q'))).toEqual([]);
    expect(tampered(toml('1', '-q'), toml('1', '--ignore=tests'))).toEqual(['pyproject.toml']);
  });

  it('counts the Makefile where the gate uses make', () => {
    const files = { 'headway.yaml': 'gate: [make check]', Makefile: 'check:\n\ttrue\n' };
    expect(tampered(files, { ...files, Makefile: 'check:\n' })).toEqual(['Makefile']);
  });
});

describe('programs', () => {
  it.each([
    'timeout 60 sh check.sh',
    'env A=1 npx tsx check.sh',
    'nice -n 5 ./check.sh',
    'node --import ./check.sh run.mjs',
    'python3.11 check.sh',
    'uv run check.sh',
  ])('knows the program that %j starts', (line) => {
    const files = { 'check.sh': 'strict', 'src/a.js': 'a' };
    expect(tampered(files, { ...files, 'check.sh': 'lax' }, { override: [line] })).toEqual(['check.sh']);
  });
});
