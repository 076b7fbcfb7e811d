import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLockfile } from './locked.ts';
import { lockfileTampering, tamperedLockfiles } from './lockfile-tampering.ts';

const EVIL = 'https://evil.example/a-1.0.0.tgz';
const url = (name: string, version: string) =>
  `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;

type Pin = {
  name: string;
  version: string;
  integrity?: string;
  resolved?: string;
  alias?: string;
  local?: string;
};
const pin = (name: string, version: string, more: Partial<Pin> = {}): Pin => ({
  ...{ name, version, integrity: `sha512-${name}${version}==`, resolved: url(name, version) },
  ...more,
});

/** The same pins as each package manager writes them. */
const FORMATS: Record<string, (pins: readonly Pin[]) => string> = {
  'package-lock.json': (pins) =>
    JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { name: 'x' },
        ...Object.fromEntries(
          pins.map(({ name, version, integrity, resolved, alias, local }) => [
            `node_modules/${name}`,
            local === undefined
              ? {
                  version,
                  resolved,
                  integrity,
                  ...(alias === undefined ? {} : { name: alias }),
                  funding: { url: 'https://pay.example' },
                }
              : { resolved: local, link: true },
          ]),
        ),
      },
    }),
  'pnpm-lock.yaml': (pins) =>
    [
      "lockfileVersion: '9.0'",
      'importers:',
      '  .:',
      '    dependencies:',
      "      a: { specifier: '*', version: 1.0.0 }",
      'packages:',
      ...pins.flatMap(({ name, version, integrity, resolved, alias, local }) => {
        const tarball =
          resolved === undefined || resolved === url(name, version) ? '' : `, tarball: ${resolved}`;
        const what =
          local === undefined ? `integrity: ${integrity}${tarball}` : `directory: ${local}, type: directory`;
        return [
          '',
          `  '${alias ?? name}@${version}':`,
          `    resolution: {${what}}`,
          "    engines: {node: '>=18'}",
          '    deprecated: see https://elsewhere.example for more',
        ];
      }),
      '',
      'snapshots:',
      '  a@1.0.0: {}',
      '',
    ].join('\n'),
  'yarn.lock': (pins) =>
    [
      '# yarn lockfile v1',
      '',
      ...pins.flatMap(({ name, version, integrity, resolved, alias, local }) => [
        `"${name}@${alias === undefined ? '' : `npm:${alias}@`}^${version}":`,
        `  version "${version}"`,
        `  resolved "${local === undefined ? resolved : `file:${local}`}"`,
        ...(integrity === undefined ? [] : [`  integrity ${integrity}`]),
        '  dependencies:',
        '    other "^1.0.0"',
        '',
      ]),
    ].join('\n'),
  'bun.lock': (pins) =>
    [
      '{',
      '  "lockfileVersion": 1,',
      '  "packages": {',
      ...pins.map(({ name, version, integrity, resolved, alias, local }) =>
        local === undefined
          ? `    "${name}": ["${alias ?? name}@${version}", "${resolved === url(name, version) ? '' : resolved}", { "dependencies": { "other": "^1.0.0" } }, "${integrity}"],`
          : `    "${name}": ["${name}@file:${local}", {}],`,
      ),
      '  }',
      '}',
    ].join('\n'),
};
const BASE = [pin('a', '1.0.0'), pin('@s/b', '2.0.0'), pin('vitest', '3.0.0')];
const changed = (name: string, more: Partial<Pin>): Pin[] =>
  BASE.map((each) => (each.name === name ? { ...each, ...more } : each));

describe.each(Object.keys(FORMATS))('a changed %s', (file) => {
  const write = FORMATS[file] ?? String;
  const why = (head: readonly Pin[], declared: string[] = [], base: readonly Pin[] = BASE) =>
    lockfileTampering(file, write(base), write(head), new Set(declared));

  it('is read as it was written', () => {
    expect(readLockfile(file, write(BASE))?.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'a@1.0.0',
      '@s/b@2.0.0',
      'vitest@3.0.0',
    ]);
  });

  it('needs nobody where versions move, or packages come and go', () => {
    expect(why(BASE)).toBeUndefined();
    expect(why([pin('a', '1.0.1'), pin('@s/b', '2.0.0'), pin('c', '1.0.0')])).toBeUndefined();
    expect(why([])).toBeUndefined();
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.tuple(fc.constantFrom('a', '@s/b', 'c', 'vitest'), fc.constantFrom('1.0.0', '1.1.0')),
          {
            selector: ([name]) => name,
          },
        ),
        (list) => {
          expect(why(list.map(([name, version]) => pin(name, version)))).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ['another content of the same version', { integrity: 'sha512-evil==' }, /a@1\.0\.0 has another content/],
    ['a weaker word for it', { integrity: 'sha1-evil=' }, /another content/],
    ['another machine, also for another version', { version: '1.0.1', resolved: EVIL }, /evil\.example/],
    ['no encryption', { version: '1.0.1', resolved: 'http://registry.npmjs.org/a/-/a-1.0.1.tgz' }, /http:/],
  ])('needs a person for %s', (_what, more, words) => {
    expect(why(changed('a', more))).toMatch(words);
  });

  it('needs a person for what is new and comes from elsewhere, unless package.json says so itself', () => {
    const head = [...BASE, pin('c', '1.0.0', { resolved: EVIL })];
    expect(why(head)).toMatch(/c@1\.0\.0 comes from evil\.example/);
    expect(why(head, ['c'])).toBeUndefined();
    // Where it came from there before, it may go on.
    expect(
      why(head, [], [...BASE, pin('d', '1.0.0', { resolved: 'https://evil.example/d-1.0.0.tgz' })]),
    ).toBeUndefined();
  });

  it('needs a person for a checker that comes from a directory, and for one that turns into one', () => {
    expect(why(changed('vitest', { local: 'tools/fake' }))).toMatch(/vitest@.* comes from this machine/);
    expect(why([...BASE, pin('mocha', '1.0.0', { local: 'tools/fake' })])).toMatch(/this machine/);
    expect(why([...BASE, pin('own', '1.0.0', { local: 'packages/own' })])).toBeUndefined();
  });

  it('needs a person where it is gone, or can not be read any more', () => {
    expect(lockfileTampering(file, write(BASE), undefined, new Set())).toMatch(/deleted/);
    const odd = file.endsWith('.json')
      ? '{'
      : write(BASE).replace('1.0.0', file.endsWith('.yaml') ? '&x 1.0.0' : '1\\x2e0.0');
    expect(lockfileTampering(file, write(BASE), odd, new Set())).toMatch(/can not be read/);
    expect(lockfileTampering(file, undefined, undefined, new Set())).toBeUndefined();
    expect(lockfileTampering(file, undefined, write(BASE), new Set())).toBeUndefined();
  });
});

describe('another package under a name', () => {
  it.each(['package-lock.json', 'yarn.lock'])('is seen by its address: %s', (file) => {
    const write = FORMATS[file] ?? String;
    const head = [...BASE, pin('c', '1.0.0', { resolved: url('evil', '1.0.0') })];
    expect(lockfileTampering(file, write(BASE), write(head), new Set())).toMatch(
      /c@1\.0\.0 is the code of evil/,
    );
    const aliased = [
      ...BASE,
      pin('string-cjs', '1.0.0', { alias: 'string', resolved: url('string', '1.0.0') }),
    ];
    expect(lockfileTampering(file, write(BASE), write(aliased), new Set())).toBeUndefined();
  });

  it.each(['package-lock.json', 'yarn.lock', 'bun.lock'])('is no checker: %s', (file) => {
    const write = FORMATS[file] ?? String;
    const head = changed('vitest', { version: '3.0.1', alias: 'evil', resolved: url('evil', '3.0.1') });
    expect(lockfileTampering(file, write(BASE), write(head), new Set())).toMatch(
      /vitest@3\.0\.1 is the code of evil/,
    );
  });
});

describe("pnpm's and yarn's own ways", () => {
  const pnpm = FORMATS['pnpm-lock.yaml']?.(BASE) ?? '';

  it('of writing a resolution do not hide it', () => {
    const block = pnpm.replace(
      /resolution: \{integrity: sha512-a1\.0\.0==\}/,
      'peerDependencies:\n      integrity: sha512-a1.0.0==\n    resolution:\n      integrity: sha512-evil==',
    );
    expect(block).not.toBe(pnpm);
    expect(lockfileTampering('pnpm-lock.yaml', pnpm, block, new Set())).toMatch(/another content/);
    const flow = pnpm.replace(
      /'a@1\.0\.0':\n(?: {4}.*\n)+/,
      "'a@1.0.0': {resolution: {integrity: sha512-evil==}}\n",
    );
    expect(flow).not.toBe(pnpm);
    expect(lockfileTampering('pnpm-lock.yaml', pnpm, flow, new Set())).toMatch(/another content/);
  });

  it.each([
    ['an alias', 'a: &x 1\nb: *x\n'],
    ['an anchor', 'a: &x 1\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a merged key', 'a: { <<: { b: c } }\n'],
    ['a key of several parts', '? [a, b]\n: c\n'],
    ['a key twice', 'packages: {}\n'],
    ['no YAML', 'a: [\n'],
  ])('of YAML are few: %s is none of them', (_, more) => {
    expect(readLockfile('pnpm-lock.yaml', pnpm)).toHaveLength(3);
    expect(readLockfile('pnpm-lock.yaml', pnpm + more)).toBeUndefined();
  });

  it('of several documents are read to the end', () => {
    const evil = `packages:\n  'a@1.0.0':\n    "resolution": {integrity: "sha512-\\x65vil=="}\n`;
    expect(lockfileTampering('pnpm-lock.yaml', pnpm, `${pnpm}---\n${evil}`, new Set())).toMatch(
      /another content/,
    );
    expect(lockfileTampering('pnpm-lock.yaml', pnpm, `${pnpm}---\npackages:\n`, new Set())).toBeUndefined();
  });

  it('of hashing are compared in the newer yarn, and a newer cache is no other content', () => {
    const berry = (checksum: string, from = 'npm:1.0.0') =>
      `__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "a@${from}"\n  checksum: ${checksum}\n  languageName: node\n  linkType: hard\n`;
    const why = (before: string, after: string) => lockfileTampering('yarn.lock', before, after, new Set());
    expect(why(berry('10c0/aa'), berry('10c0/bb'))).toMatch(/another content/);
    expect(why(berry('10/aa'), berry('10c0/bb'))).toBeUndefined();
    expect(why(berry('10c0/aa'), berry('10c0/aa'))).toBeUndefined();
    expect(why(berry('10c0/aa'), berry('10c0/aa', 'https://evil.example/a.tgz'))).toMatch(/evil\.example/);
  });
});

it('needs nobody where package.json names the other place itself', () => {
  const lock = (resolved: string) =>
    JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.1', resolved, integrity: 'sha512-x' } } });
  const [path, before] = ['web/package-lock.json', lock(url('a', '1.0.1'))];
  const files = { path, before, after: lock(EVIL) };
  expect(tamperedLockfiles([{ ...files, manifest: '{"dependencies":{"a":"^1.0.0"}}' }])).toEqual([path]);
  expect(tamperedLockfiles([{ ...files, manifest: JSON.stringify({ dependencies: { a: EVIL } }) }])).toEqual(
    [],
  );
  expect(tamperedLockfiles([{ ...files, after: before, manifest: undefined }])).toEqual([]);
});

it('reads the lockfile of this repository', () => {
  const text = readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8');
  expect(readLockfile('package-lock.json', text)?.length).toBeGreaterThan(300);
  expect(lockfileTampering('package-lock.json', text, text, new Set())).toBeUndefined();
  expect(lockfileTampering('package-lock.json', undefined, text, new Set())).toBeUndefined();
});
