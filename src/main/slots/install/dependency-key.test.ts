import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dependencyKey, type Toolchain } from './dependency-key.ts';
import { type DependencyTree, dependencyInputs } from './dependency-tree.ts';
import { detectInstalls, type Install } from './managers.ts';

type Files = Record<string, string>;

const toolchain: Toolchain = {
  node: 'v24.1.0',
  abi: '137',
  platform: 'linux',
  arch: 'x64',
  libc: '2.36',
  manager: '11.0.0',
};

function treeOf(files: Files): DependencyTree {
  const ids = new Map(
    Object.entries(files).map(([path, text]) => [path, createHash('sha1').update(text).digest('hex')]),
  );
  const contents = new Map(
    dependencyInputs(ids.keys()).map((path) => [path, new TextEncoder().encode(files[path])]),
  );
  return { ids, contents };
}

function keyOf(files: Files, changed: Partial<Toolchain> = {}, setup?: string): string {
  const tree = treeOf(files);
  return dependencyKey(tree, detectInstalls(tree), { ...toolchain, ...changed }, setup);
}

const detect = (files: Files): Install[] => detectInstalls(treeOf(files));
const json = (value: unknown): string => JSON.stringify(value);

const BASE: Files = {
  'package.json': json({
    name: 'demo',
    version: '1.0.0',
    workspaces: ['packages/*'],
    scripts: { postinstall: 'node scripts/postinstall.js', test: 'vitest' },
    dependencies: {},
  }),
  'package-lock.json': '{\n  "lockfileVersion": 3\n}\n',
  '.npmrc': 'ignore-scripts=false\n',
  'packages/lib/package.json': json({ name: 'lib', version: '1.0.0' }),
  'patches/x+1.0.0.patch': '-a\n+b\n',
  'scripts/postinstall.js': "require('fs').writeFileSync('node_modules/.stamp', '1')",
  'README.md': 'readme',
};

describe('the dependency key', () => {
  it.each<[string, Files]>([
    ['a patch', { 'patches/x+1.0.0.patch': '-a\n+c\n' }],
    ['code that an install script runs', { 'scripts/postinstall.js': '2' }],
    ['manager settings', { '.npmrc': 'ignore-scripts=true\n' }],
    [
      'a workspace that asks for more',
      { 'packages/lib/package.json': json({ name: 'lib', version: '1.0.0', dependencies: { y: '1' } }) },
    ],
    ['a new workspace', { 'packages/new/package.json': json({ name: 'new' }) }],
    ['the lockfile', { 'package-lock.json': '{\n  "lockfileVersion": 2\n}\n' }],
    ['a nested lockfile', { 'packages/lib/package-lock.json': '{}' }],
    ['a pinned Node', { '.nvmrc': '22' }],
    ['a second lockfile', { 'yarn.lock': '# yarn lockfile v1\n' }],
    ['settings of yarn', { '.yarnrc.yml': 'nodeLinker: pnp\n' }],
    ['settings of yarn 1', { '.yarnrc': 'ignore-scripts true\n' }],
    ['what yarn 1 leaves out', { '.yarnclean': '*.md\n' }],
    ['settings of pnpm', { 'pnpm-workspace.yaml': 'overrides:\n  x: 2.0.0\n' }],
    ['a hook of pnpm', { '.pnpmfile.cjs': 'module.exports = {}' }],
    ['a hook of pnpm as a module', { '.pnpmfile.mjs': 'export const hooks = {}' }],
    ['settings of bun', { 'bunfig.toml': '[install]\nlinker = "isolated"\n' }],
    ['settings of a workspace', { 'packages/lib/.npmrc': 'omit=dev\n' }],
    ['a version manager that pins tools', { 'mise.toml': '[tools]\nnode = "22"\n' }],
    ["a patch of yarn's", { '.yarn/patches/x.patch': '+c\n' }],
    ["yarn's own program", { '.yarn/releases/yarn-4.9.1.cjs': '2' }],
    ['a patch elsewhere', { 'fixes/x.diff': '+c\n' }],
  ])('changes with %s', (_, changed) => {
    expect(keyOf({ ...BASE, ...changed })).not.toBe(keyOf(BASE));
  });

  it.each([
    'name',
    'dependencies',
    'optionalDependencies',
    'peerDependencies',
    'dependenciesMeta',
    'bundleDependencies',
    'workspaces',
    'patchedDependencies',
    'trustedDependencies',
    'volta',
    'devEngines',
    'overrides',
    'resolutions',
    'engines',
    'devDependencies',
    'packageManager',
    'pnpm',
    'allowScripts',
  ])('changes with the field %s of package.json', (field) => {
    const manifest = { ...JSON.parse(BASE['package.json'] ?? ''), [field]: { x: '2.0.0' } };
    expect(keyOf({ ...BASE, 'package.json': json(manifest) })).not.toBe(keyOf(BASE));
  });

  it.each<[string, Files]>([
    ['other files', { 'README.md': 'other', 'src/a.ts': 'x', 'docs/package.md': '' }],
    ['line ends of a lockfile', { 'package-lock.json': '{\r\n  "lockfileVersion": 3\r\n}\r\n' }],
    [
      'version, other scripts, and the order of fields',
      {
        'package.json': json({
          dependencies: {},
          scripts: { test: 'other', postinstall: 'node scripts/postinstall.js' },
          workspaces: ['packages/*'],
          version: '2.0.0',
          name: 'demo',
        }),
      },
    ],
    ['vendored packages', { 'fixtures/node_modules/x/package.json': json({ dependencies: { z: '1' } }) }],
  ])('stays with %s', (_, changed) => {
    expect(keyOf({ ...BASE, ...changed })).toBe(keyOf(BASE));
  });

  it.each<[keyof Toolchain, string]>([
    ['node', 'v22.0.0'],
    ['abi', '127'],
    ['platform', 'darwin'],
    ['arch', 'arm64'],
    ['libc', 'musl'],
    ['manager', '10.0.0'],
  ])('changes with %s of the toolchain', (field, value) => {
    expect(keyOf(BASE, { [field]: value })).not.toBe(keyOf(BASE));
  });

  it('follows an install script to the scripts and the directory it names', () => {
    const files: Files = {
      'package.json': json({ scripts: { prepare: 'npm run gen', gen: 'sh tools/gen && node ./build' } }),
      'tools/gen.sh': '1',
      'build/index.js': '1',
      'build/deep/x.js': '1',
    };
    for (const path of ['tools/gen.sh', 'build/index.js', 'build/deep/x.js']) {
      expect(keyOf({ ...files, [path]: '2' })).not.toBe(keyOf(files));
    }
  });

  it('reads a binary lockfile as bytes', () => {
    const files: Files = { 'package.json': '{}', 'bun.lockb': '\u0001\r\n\u0002' };
    expect(keyOf({ ...files, 'bun.lockb': '\u0001\n\u0002' })).not.toBe(keyOf(files));
  });

  it('is never constant: a setup command is keyed on what it reads, else on the whole tree', () => {
    const python: Files = { 'requirements.txt': 'a==1', 'main.py': '1' };
    const key = keyOf(python, {}, 'pip install -r requirements.txt');
    expect(keyOf({ ...python, 'main.py': '2' }, {}, 'pip install -r requirements.txt')).toBe(key);
    expect(keyOf({ ...python, 'requirements.txt': 'a==2' }, {}, 'pip install -r requirements.txt')).not.toBe(
      key,
    );
    expect(keyOf(python, {}, 'pip install -r requirements.txt -q')).not.toBe(key);
    const unknown: Files = { 'main.x': '1' };
    expect(keyOf({ 'main.x': '2' }, {}, 'do-it')).not.toBe(keyOf(unknown, {}, 'do-it'));
  });

  it('does not depend on the order of files, and tells neighbours apart', () => {
    const name = fc.constantFrom(
      '.npmrc',
      'yarn.lock',
      'package-lock.json',
      'pnpm-workspace.yaml',
      'a/.npmrc',
    );
    const entries = fc.uniqueArray(fc.tuple(name, fc.string()), { selector: ([path]) => path, minLength: 1 });
    fc.assert(
      fc.property(entries, (list) => {
        const files = Object.fromEntries(list);
        const turned = Object.fromEntries([...list].reverse());
        expect(keyOf(turned)).toBe(keyOf(files));
        const [first] = list;
        if (first) expect(keyOf({ ...files, [first[0]]: `${first[1]}x` })).not.toBe(keyOf(files));
      }),
      { numRuns: 200 },
    );
  });

  it('never throws, whatever stands in a manifest', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(keyOf({ 'package.json': text, 'package-lock.json': '{}' })).toMatch(/^[0-9a-f]{32}$/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('which manager installs', () => {
  it.each<[string, Files]>([
    ['pnpm with a lockfile', { 'pnpm-lock.yaml': '' }],
    ['pnpm without', { 'package.json': json({ packageManager: 'pnpm@10.0.0', dependencies: { a: '1' } }) }],
    ['bun with a lockfile', { 'bun.lock': '' }],
    ['bun without', { 'package.json': json({ packageManager: 'bun@1.2.0', dependencies: { a: '1' } }) }],
  ])('never links packages that other slots have, too: %s', (_, files) => {
    const found = detect({ 'package.json': '{"name":"x"}', ...files });
    const copies = ['--package-import-method=copy', '--backend=copyfile'];
    expect(found[0]?.args.filter((arg) => copies.includes(arg))).toHaveLength(1);
  });

  it.each<[string, Files, object]>([
    [
      'shrinkwrap over package-lock',
      { 'package-lock.json': '{}', 'npm-shrinkwrap.json': '{}' },
      { manager: 'npm', lockfile: 'npm-shrinkwrap.json' },
    ],
    [
      'bun, whose yarn.lock is a printed copy',
      { 'bun.lockb': 'x', 'yarn.lock': '# yarn lockfile v1' },
      { manager: 'bun' },
    ],
    [
      'bun with both of its lockfiles',
      { 'bun.lock': 'x', 'bun.lockb': 'x' },
      { manager: 'bun', lockfile: 'bun.lock' },
    ],
    [
      'yarn 1',
      { 'yarn.lock': '# yarn lockfile v1\n' },
      { manager: 'yarn', args: ['install', '--non-interactive', '--frozen-lockfile'] },
    ],
    [
      'yarn berry',
      { 'yarn.lock': '__metadata:\n  version: 8\n', '.yarnrc.yml': 'nodeLinker: pnp' },
      { manager: 'yarn-berry', args: ['install', '--immutable'] },
    ],
    [
      'the root lockfile alone',
      { 'package-lock.json': '{}', 'electron/yarn.lock': '' },
      { manager: 'npm', lockfile: 'package-lock.json' },
    ],
    [
      'the pinned one of several',
      { 'package.json': json({ packageManager: 'npm@11.0.0' }), 'yarn.lock': '', 'package-lock.json': '{}' },
      { manager: 'npm' },
    ],
    [
      'pnpm with its pin',
      { 'package.json': json({ packageManager: 'pnpm@9.1.0+sha512.x' }), 'pnpm-lock.yaml': '' },
      { manager: 'pnpm', pinned: { name: 'pnpm', version: '9.1.0' } },
    ],
    [
      'npm, where dependencies have no lockfile',
      { 'package.json': json({ dependencies: { a: '1' } }) },
      { manager: 'npm', args: ['install', '--no-package-lock', '--no-audit', '--no-fund'] },
    ],
  ])('%s', (_, files, expected) => {
    expect(detect({ 'package.json': '{"name":"x"}', ...files })).toMatchObject([
      { directory: '', ...expected },
    ]);
  });

  it.each<[string, Files, [directory: string, manager: string][]]>([
    [
      'a lockfile alone in a sub-package',
      { 'web/package.json': '{}', 'web/package-lock.json': '{}' },
      [['web', 'npm']],
    ],
    [
      'several of them, each with its own',
      {
        'go.mod': 'module x',
        'web/package.json': '{}',
        'web/pnpm-lock.yaml': '',
        'api/package.json': '{}',
        'api/yarn.lock': '# yarn lockfile v1\n',
        'api/inner/package.json': '{}',
        'api/inner/package-lock.json': '{}',
      },
      [
        ['api', 'yarn'],
        ['web', 'pnpm'],
      ],
    ],
    [
      'a sub-package below a top that installs nothing',
      { 'package.json': '{"name":"x"}', 'web/package.json': '{}', 'web/bun.lock': '' },
      [['web', 'bun']],
    ],
    [
      'the top alone, where it has dependencies without a lockfile',
      {
        'package.json': json({ dependencies: { a: '1' } }),
        'web/package.json': '{}',
        'web/package-lock.json': '{}',
      },
      [['', 'npm']],
    ],
    [
      'workspaces without a lockfile',
      {
        'package.json': json({ workspaces: ['p/*'] }),
        'p/a/package.json': json({ dependencies: { a: '1' } }),
      },
      [['', 'npm']],
    ],
    [
      'nothing for what tests and examples work on',
      {
        'test/fixtures/a/package.json': '{}',
        'test/fixtures/a/package-lock.json': '{}',
        'examples/b/package.json': '{}',
        'examples/b/yarn.lock': '',
      },
      [],
    ],
    ['nothing without dependencies', { 'package.json': '{"name":"x"}' }, []],
    ['nothing without package.json', { 'sub/package-lock.json': '{}' }, []],
  ])('%s', (_, files, expected) => {
    expect(detect(files).map(({ directory, manager }) => [directory, manager])).toEqual(expected);
  });

  it('a sub-package with a lockfile alone counts with all that decides its install', () => {
    const files: Files = {
      'web/package.json': json({ workspaces: ['parts/*'] }),
      'web/package-lock.json': '{}',
      'web/parts/a/package.json': json({ name: 'a' }),
      'web/.npmrc': '',
    };
    for (const [path, text] of Object.entries({
      'web/package-lock.json': '{"x":1}',
      'web/package.json': json({ workspaces: ['parts/*'], overrides: { x: '2' } }),
      'web/parts/a/package.json': json({ name: 'a', dependencies: { b: '1' } }),
      'web/.npmrc': 'omit=dev\n',
    })) {
      expect(keyOf({ ...files, [path]: text })).not.toBe(keyOf(files));
    }
    expect(keyOf({ ...files, 'server/main.go': 'x' })).toBe(keyOf(files));
  });
});
