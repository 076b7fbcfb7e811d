import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PolicyInput, resolvePolicy } from './policy.ts';
import { policySchema, stepTimeoutMs } from './policy-schema.ts';

const NPM_INIT = 'echo "Error: no test specified" && exit 1';

const resolve = (files: Record<string, string>, more: Partial<PolicyInput> = {}) =>
  resolvePolicy({ readFile: (path) => files[path], ...more });
const withScripts = (scripts: Record<string, string>, files: Record<string, string> = {}) =>
  resolve({ 'package.json': JSON.stringify({ scripts }), ...files });
const commands = (policy: { gate: { command: string }[] }): string[] =>
  policy.gate.map(({ command }) => command);

describe('the default gate', () => {
  it('runs lint, typecheck, test and build where they exist, what makes files before what may read them', () => {
    const policy = withScripts({ build: 'b', test: 't', lint: 'l', 'type-check': 'c', start: 's' });
    expect(commands(policy)).toEqual(['npm run build', 'npm run lint', 'npm run type-check', 'npm test']);
    expect(policy.gate.map(({ name }) => name)).toEqual(['build', 'lint', 'type-check', 'test']);
    expect(policy.source).toBe('default');
  });

  it.each([
    ['pnpm-lock.yaml', 'pnpm test'],
    ['yarn.lock', 'yarn test'],
    ['bun.lock', 'bun run test'],
    ['package-lock.json', 'npm test'],
  ])('uses the package manager of %s', (lockfile, command) => {
    expect(commands(withScripts({ test: 'x' }, { [lockfile]: '' }))).toEqual([command]);
  });

  it('believes packageManager rather than a stray lockfile', () => {
    const text = JSON.stringify({ packageManager: 'pnpm@9.1.0', scripts: { test: 'x' } });
    expect(commands(resolve({ 'package.json': text, 'yarn.lock': '' }))).toEqual(['pnpm test']);
  });

  it("leaves npm's placeholder out, so that nothing else means no gate", () => {
    const policy = withScripts({ test: NPM_INIT });
    expect(policy).toMatchObject({ source: 'none', gate: [] });
    expect(policy.notes.join()).toContain('placeholder');
  });

  it.each([
    ['no file at all', {}],
    ['no scripts', { 'package.json': '{}' }],
    ['an empty script', { 'package.json': '{"scripts":{"test":""}}' }],
    ['broken JSON', { 'package.json': '{"scripts":' }],
    ['scripts that are no object', { 'package.json': '{"scripts":["test"]}' }],
    [
      'an empty list in the policy',
      { 'headway.yaml': 'gate: []', 'package.json': '{"scripts":{"test":"x"}}' },
    ],
  ])('is none for %s', (_what, files) => {
    expect(resolve(files as Record<string, string>)).toMatchObject({ source: 'none', gate: [] });
  });
});

describe('variables that the policy passes on', () => {
  it('are part of what a person agrees to, by name, and change nothing where there are none', () => {
    const plain = resolve({ 'headway.yaml': 'gate: [x]\n' });
    const passing = resolve({ 'headway.yaml': 'gate: [x]\npassEnv: [NPM_TOKEN, NPM_TOKEN]\n' });
    expect(passing.passEnv).toEqual(['NPM_TOKEN']);
    expect(passing.commands).toContain('env: your own NPM_TOKEN, for setup, agents and gate');
    expect(passing.hash).not.toBe(plain.hash);
    expect(plain.passEnv).toEqual([]);
  });
});

describe('the policy file', () => {
  it('takes commands, names, timeouts and everything else', () => {
    const policy = resolve({
      'headway.yaml': [
        'setup: make deps',
        'gate:',
        '  - npm test',
        '  - { name: types, run: tsc --noEmit, timeout: 5m }',
        '  - npm test',
        'caches: [.turbo]',
        'caps: { jobs: 2 }',
        'hubs: [src/routes.ts]',
        'generated: [pnpm-lock.yaml, dist]',
        'merge: { auto: false, style: pull-request, remote: fork }',
        'commits: { author: agent, trailers: [job, cost] }',
        'env: { DEBUG: 1, NAME: x }',
        'protect: [check.sh]',
      ].join('\r\n'),
    });
    expect(policy).toMatchObject({
      setup: 'make deps',
      source: 'repository',
      caches: ['.turbo'],
      caps: { jobs: 2 },
      hubs: ['src/routes.ts'],
      generated: ['pnpm-lock.yaml', 'dist'],
      merge: { auto: false, style: 'pull-request', remote: 'fork' },
      commits: { author: 'agent', trailers: ['job', 'cost'] },
      env: { DEBUG: '1', NAME: 'x' },
      protect: ['check.sh'],
    });
    expect(policy.commands).toContain('pull request: at fork, by your own gh');
    expect(policy.gate.map(({ name, timeoutMs }) => [name, timeoutMs])).toEqual([
      ['test', 1_800_000],
      ['types', 300_000],
      ['test (2)', 1_800_000],
    ]);
  });

  it.each([
    ['setup: x\ngaet:\n  - npm test\n', 'headway.yaml:2: unknown key "gaet"; did you mean gate?'],
    [
      'gate:\n  - { run: x, timout: 5m }\n',
      'headway.yaml:2: unknown key "timout" in gate[1]; did you mean timeout?',
    ],
    ['gate:\n  - { run: x, caches: [node_modules/typescript] }\n', 'must not hold installed packages'],
    ['gate:\n  - { run: x, caches: [.] }\n', 'must be a path inside the repository'],
    ['gate:\n  - { run: x, caches: ["a*"] }\n', 'must be a path, not a glob'],
    [
      'gate:\n  - { name: a, run: x, caches: [.c] }\n  - { run: y, caches: [.c/y/] }\n',
      'is also named by step y',
    ],
    ['passEnv: [PATH]\n', 'must not be a variable that chooses which programs run'],
    ['passEnv: [GIT_DIR]\n', 'must not be a GIT_ or HEADWAY_ variable'],
    ['passEnv: ["A B"]\n', 'must be the name of a variable'],
    ['gate:\n  - { run: x, writs: [] }\n', 'unknown key "writs" in gate[1]; did you mean writes?'],
    [
      'gate:\n  - { run: x, reads: [../y] }\n',
      'headway.yaml:2: gate[1].reads[1]: must be a path or glob inside',
    ],
    ['gate:\n  - { name: lint, run: x }\n  - { run: y, after: [lnt] }\n', 'did you mean lint?'],
    ['gate:\n  - { name: y, run: y, after: [y] }\n', 'it is the first step'],
    ['merge:\n  auto: maybe\n', 'headway.yaml:2: merge.auto: '],
    ['merge:\n  auto: true\n  proof: new\n', 'headway.yaml:3: merge.proof: must be fresh, or an age'],
    ['merge: { proof: 5s }\n', 'headway.yaml:1: merge.proof: '],
    ['merge: { prof: 7d }\n', 'did you mean proof?'],
    [
      'gate:\n  - builtin: markdown\n    frontMatter:\n      notes: { type: strange }\n',
      'headway.yaml:4: gate[1].frontMatter.notes: must be a JSON Schema',
    ],
    [
      'gate:\n  - run: x\n    frontMatter: { a: s.json }\n',
      'headway.yaml:3: gate[1].frontMatter: is for the built-in',
    ],
    ['caps:\n  job: 2\n', 'headway.yaml:2: unknown key "job" in caps; did you mean jobs?'],
    [
      'gate:\n  - ok\n  - { run: x, timeout: soon }\n',
      'headway.yaml:3: gate[2].timeout: must be a time such as',
    ],
    ['gate:\n  - ok\n  - 5\n', 'headway.yaml:3: gate[2]: '],
    ['gate: npm test\n', 'headway.yaml:1: gate: '],
    ['- npm test\n', 'headway.yaml:1: must be a list of keys'],
    ['gate: [a\n', 'headway.yaml:'],
    ['gate: [a]\ngate: [b]\n', 'headway.yaml:2: is not valid YAML'],
    ['env: { GIT_DIR: x }\n', 'must not be a GIT_ or HEADWAY_ variable'],
    ['name: caf\uFFFD\n', 'is not UTF-8'],
  ])('refuses %j and says where', (text, message) => {
    expect(() => resolve({ 'headway.yaml': text })).toThrow(message);
  });

  it.each([
    ['fresh', {}],
    ['12h', { maxAgeMs: 43_200_000 }],
    ['7d', { maxAgeMs: 604_800_000 }],
  ])('wants a proof before it merges: %s', (proof, wanted) => {
    expect(resolve({ 'headway.yaml': `merge: { proof: ${proof} }\n` }).merge.proof).toEqual(wanted);
    expect(resolve({}).merge.proof).toBeUndefined();
  });

  it('takes what lets a gate be quick', () => {
    const text = 'gate: [{ run: x, reads: [src], writes: [], caches: [node_modules/.cache/x/] }]';
    expect(resolve({ 'headway.yaml': text }).gate[0]).toMatchObject({
      reads: ['src'],
      writes: [],
      caches: ['node_modules/.cache/x'],
    });
  });

  it('is empty where it holds comments only', () => {
    expect(resolve({ 'headway.yaml': '\uFEFF# nothing yet\n' }).source).toBe('none');
  });

  it("lets the user's own file win by key, and protects the files of both", () => {
    const policy = resolve(
      { 'headway.yaml': 'gate: [a]\nsetup: s\nprotect: [x]' },
      { userPolicy: 'gate: [b]\nprotect: [y]' },
    );
    expect(policy).toMatchObject({ source: 'user', setup: 's', protect: ['x', 'y'] });
    expect(commands(policy)).toEqual(['b']);
    expect(() => resolve({}, { userPolicy: 'nope: 1' })).toThrow('the policy in your settings:1');
  });

  it('lets --gate replace the gate, and keeps what was agreed to', () => {
    const files = { 'headway.yaml': 'gate: [a]\nsetup: s' };
    const policy = resolve(files, { override: ["sh -c 'exit 0'", 'test -f a.txt'] });
    expect(policy.source).toBe('override');
    expect(commands(policy)).toEqual(["sh -c 'exit 0'", 'test -f a.txt']);
    expect(policy.hash).toBe(resolve(files).hash);
  });

  it('has a JSON Schema for editors that is up to date', () => {
    const shipped = JSON.parse(
      readFileSync(new URL('../../../../docs/headway.schema.json', import.meta.url), 'utf8'),
    );
    expect(shipped).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(policySchema, { io: 'input' }))));
  });
});

describe('the hash of the commands', () => {
  it('follows the text of scripts that the gate calls, directly, around and through others, and of the install', () => {
    const scripts = { test: 'npm run unit', unit: 'vitest', pretest: 'x', postinstall: 'y', other: 'z' };
    const { hash, commands: shown } = withScripts(scripts);
    for (const name of ['test', 'unit', 'pretest', 'postinstall'] as const) {
      expect(withScripts({ ...scripts, [name]: `${scripts[name]} # changed` }).hash).not.toBe(hash);
      expect(shown).toContain(`script ${name}: ${scripts[name]}`);
    }
    expect(withScripts({ ...scripts, other: 'changed' }).hash).toBe(hash);
  });

  it('follows setup and env', () => {
    const at = (text: string): string => resolve({ 'headway.yaml': text }).hash;
    expect(
      new Set([at('gate: [a]'), at('gate: [a]\nsetup: s'), at('gate: [a]\nenv: {A: 1}'), at('gate: [b]')])
        .size,
    ).toBe(4);
  });

  it('is the same for the same input', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.string()), (scripts) => {
        expect(withScripts(scripts)).toEqual(withScripts(scripts));
      }),
    );
  });
});

describe('stepTimeoutMs', () => {
  it.each([
    [90, 90_000],
    ['500ms', 500],
    ['1.5 m', 90_000],
    ['1h', 3_600_000],
    ['0', undefined],
    ['25h', undefined],
    ['5 parsecs', undefined],
    [-1, undefined],
  ])('reads %s as %s', (text, durationMs) => {
    expect(stepTimeoutMs(text)).toBe(durationMs);
  });
});
