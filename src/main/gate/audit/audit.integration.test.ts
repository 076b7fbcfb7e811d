import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Audit, Finding } from '../../../shared/gate-report.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { policyAt } from '../policy/commit-files.ts';
import { auditCommit } from './audit.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-audit-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

type Files = Record<string, string | object>;

async function audit(
  files: Files,
  options: { gate?: string[]; slotRoot?: string; listIn?: { timeoutMs: number } } = {},
): Promise<Pick<Audit, 'findings' | 'areas'>> {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content), {
      mode: path.includes('/.bin/') ? 0o755 : 0o644,
    });
  }
  git('add', '-A');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.invalid', 'commit', '-q', '-m', 'x');
  const commit = git('rev-parse', 'HEAD');
  const policy = await policyAt({ cwd: root, commit, ...(options.gate ? { override: options.gate } : {}) });
  return auditCommit({
    cwd: root,
    commit,
    clone: root,
    policy,
    slotRoot: options.slotRoot ?? '/data/slots/0123456789',
    ...(options.listIn
      ? { listIn: { cwd: root, env: childEnvironment({ PATH: process.env.PATH ?? '' }), ...options.listIn } }
      : {}),
  });
}

const scripts = (all: Record<string, string>, more: object = {}): object => ({
  name: 'x',
  private: true,
  scripts: all,
  ...more,
});
const short = (findings: readonly Finding[]): [string, string[]][] =>
  findings.map(({ kind, files }) => [kind, files]);
const TSCONFIG = { compilerOptions: { strict: true, noEmit: true, types: [] }, include: ['src'] };

describe('tests that no runner picks up', () => {
  it('are listed exactly, with what leaves them out, and the configuration is not run to find out', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'vitest run' }),
      'vitest.config.ts':
        "import{defineConfig}from'vitest/config';throw new Error(process.env.SECRET);export default defineConfig({test:{include:['src/**/*.test.ts'],exclude:['src/skip/**']}})",
      'src/a.test.ts': '',
      'src/Button.test.tsx': '',
      'src/api.spec.ts': '',
      'src/skip/x.test.ts': '',
    });
    expect(short(findings)).toEqual([
      ['tests-never-run', ['src/Button.test.tsx', 'src/api.spec.ts', 'src/skip/x.test.ts']],
    ]);
    expect(findings[0]).toMatchObject({ hidesWork: true, severity: 'error', fix: { kind: 'patch' } });
    expect(findings[0]?.why).toMatch(/excluded by src\/skip\/\*\*/);
  });

  it('are found through projects, shared constants, spread defaults and merged configurations', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'vitest run' }),
      'shared.ts': "export const only = ['**/*.unit.test.ts'];",
      'vitest.config.ts': `import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
        import { only } from './shared';
        const base = { test: { exclude: [...configDefaults.exclude, 'old/**'] } };
        export default mergeConfig(base, defineConfig({ test: { projects: [
          { test: { name: 'unit', include: only } },
          { test: { name: 'web', root: 'web', include: ['**/*.test.tsx'] } },
        ] } }));`,
      'a.unit.test.ts': '',
      'web/b.test.tsx': '',
      'web/c.test.ts': '',
    });
    expect(short(findings)).toEqual([['tests-never-run', ['web/c.test.ts']]]);
  });

  it('says what it could not read instead of guessing', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'vitest run' }),
      'vitest.config.ts': 'export default { test: { include: globs() } };',
      'src/a.spec.ts': '',
    });
    expect(short(findings)).toEqual([['tests-config-unread', []]]);
  });

  it.runIf(process.platform !== 'win32')(
    'takes no silence of a runner for a list of everything',
    async () => {
      const { findings } = await audit(
        {
          '.gitignore': 'node_modules\n',
          'package.json': scripts({ test: 'vitest run' }),
          'vitest.config.ts': 'export default { test: { include: globs() } };',
          'a.test.ts': '',
          'node_modules/.bin/vitest': '#!/bin/sh\nexec sleep 600\n',
        },
        { listIn: { timeoutMs: 50 } },
      );
      expect(findings).toMatchObject([{ kind: 'tests-config-unread', severity: 'error', hidesWork: true }]);
    },
  );

  it('knows the rules of jest, mocha, node:test and playwright', async () => {
    const jest = await audit({
      'package.json': scripts(
        { test: 'jest' },
        { jest: { testMatch: ['**/src/**/*.test.js'], testPathIgnorePatterns: ['/old/'] } },
      ),
      'src/a.test.js': '',
      'src/old/b.test.js': '',
      'src/c.spec.js': '',
    });
    expect(short(jest.findings)).toEqual([['tests-never-run', ['src/c.spec.js', 'src/old/b.test.js']]]);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    const others = await audit({
      'package.json': scripts({ test: "mocha 'test/**/*.spec.js' && node --test unit && playwright test" }),
      'playwright.config.ts': "export default { testDir: './e2e' };",
      'test/deep/a.spec.js': '',
      'test/b.test.js': '',
      'unit/c.test.js': '',
      'e2e/d.spec.ts': '',
      'other/e.test.mjs': '',
    });
    expect(short(others.findings)).toEqual([['tests-never-run', ['other/e.test.mjs', 'test/b.test.js']]]);
  });

  it('follows tests through the compiler to the directory that they run from', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'tsc && node --test "dist/**/*.test.js"' }),
      'tsconfig.json': { compilerOptions: { outDir: 'dist', rootDir: 'src' }, include: ['src'] },
      'src/a.test.ts': '',
      'other/b.test.js': '',
    });
    expect(short(findings)).toEqual([['tests-never-run', ['other/b.test.js']]]);
  });

  it.each([
    ['vitest run --exclude=b.test.ts', {}],
    ['jest --roots src', {}],
    [
      'jest --selectProjects one',
      { jest: { projects: [{ displayName: 'one', roots: ['src'] }, { displayName: 'two' }] } },
    ],
    ['mocha', { mocha: { 'dry-run': true, spec: ['**/*.test.ts'] } }],
  ])('are seen behind the options of %s', async (test, more) => {
    const { findings } = await audit({
      'package.json': scripts({ test }, more),
      'src/a.test.ts': '',
      'b.test.ts': '',
    });
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'tests-never-run',
        files: expect.arrayContaining(['b.test.ts']),
        hidesWork: true,
      }),
    );
  });

  it.each([
    [['vitest run -t unit'], true],
    [['jest --shard=1/2'], true],
    [['mocha --grep fast'], true],
    [['python3 -m pytest -k fast'], true],
    [['mocha --grep slow --invert'], false],
    [["pytest -k 'not slow'"], false],
    [['jest -t unit', 'jest -t more'], false],
    [['mocha --grep slow', 'mocha --grep slow --invert'], undefined],
    [['jest --shard=1/2', 'jest --shard=2/2'], undefined],
    [['vitest run -t unit', 'vitest run'], undefined],
    [['node --test', 'node build.js'], undefined],
  ])('are left out by name or share: %j', async (gate, hides) => {
    const { findings } = await audit({ 'package.json': scripts({}), 'a.test.js': '' }, { gate });
    expect(findings.find(({ kind }) => kind === 'tests-narrowed')?.hidesWork).toBe(hides);
  });

  it.each(['node node_modules/.bin/jest', 'node --no-warnings node_modules/jest/bin/jest.js --ci'])(
    'are seen where jest is started by %j',
    async (test) => {
      const { findings } = await audit({
        'package.json': scripts({ test }, { jest: { testMatch: ['**/src/**'] } }),
        'src/a.test.js': '',
        'b.test.js': '',
      });
      expect(short(findings)).toEqual([['tests-never-run', ['b.test.js']]]);
    },
  );

  it.each(['jest $FILES', 'node --test $(git ls-files "*.test.js")', 'git ls-files | xargs mocha'])(
    'are not guessed where only the shell knows them: %j',
    async (test) => {
      const { findings, areas } = await audit({ 'package.json': scripts({ test }), 'src/a.test.js': '' });
      expect(short(findings)).toEqual([['tests-config-unread', []]]);
      expect(areas).toMatchObject([{ area: 'src', tests: 1, testsRun: null }]);
    },
  );

  it('are not said to be none where the runner is not known', async () => {
    const { areas } = await audit({ 'package.json': scripts({ test: 'ava' }), 'src/a.test.js': '' });
    expect(areas).toMatchObject([{ area: 'src', tests: 1, testsRun: null }]);
  });

  it('finds the ignore pattern that matches where slots lie', async () => {
    const files = {
      'package.json': scripts({ test: 'jest' }, { jest: { testPathIgnorePatterns: ['/\\.headway/'] } }),
      'x.test.js': '',
    };
    const { findings } = await audit(files, { slotRoot: '/home/a/.headway/slots/1' });
    expect(findings).toMatchObject([{ kind: 'slot-path-ignored', hidesWork: true }]);
    expect(findings[0]?.title).toContain('/\\.headway/');
  });

  it('counts those that a script outside the gate runs as not wired, not as lost', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'vitest run src', 'test:e2e': 'playwright test' }),
      'playwright.config.ts': "export default { testDir: 'e2e' };",
      'src/a.test.ts': '',
      'e2e/b.spec.ts': '',
    });
    expect(findings).toMatchObject([
      { kind: 'script-not-wired', fix: { kind: 'policy', addSteps: [{ run: 'npm run test:e2e' }] } },
    ]);
  });
});

describe('types that nobody checks', () => {
  it('are sources that tsconfig excludes and nothing imports', async () => {
    const { findings } = await audit({
      'package.json': scripts({ typecheck: 'tsc --noEmit', test: 'node --test' }),
      'tsconfig.json': { ...TSCONFIG, exclude: ['**/*.test.ts', 'src/used.ts'] },
      'src/n.ts': "export * from './used';",
      'src/used.ts': '',
      'src/n.test.ts': '',
    });
    expect(short(findings)).toEqual([['typecheck-leaves-out', ['src/n.test.ts']]]);
    expect(findings[0]).toMatchObject({ title: 'src/n.test.ts is in no program', hidesWork: true });
  });

  it('are all of them where a solution is checked without -b', async () => {
    const { findings } = await audit({
      'package.json': scripts({ typecheck: 'tsc --noEmit' }),
      'tsconfig.json': { files: [], references: [{ path: './tsconfig.app.json' }] },
      'tsconfig.app.json': { compilerOptions: { composite: true }, include: ['src'] },
      'src/bad.ts': '',
    });
    expect(findings).toMatchObject([
      {
        kind: 'typecheck-empty',
        files: ['src/bad.ts'],
        hidesWork: true,
        fix: { kind: 'policy', addSteps: [{ run: 'npx tsc -b' }] },
      },
    ]);
    expect(findings[0]?.title).toContain('0 source files checked; use tsc -b');
  });

  it('follows extends, references with -b, several configurations, workspaces and cd', async () => {
    const { findings, areas } = await audit(
      {
        'package.json': scripts(
          { typecheck: 'tsc -b && npm run types -w web' },
          { workspaces: ['web', 'api'] },
        ),
        'tsconfig.json': { files: [], references: [{ path: 'lib' }] },
        'tsconfig.base.json': { compilerOptions: { strict: true, composite: true } },
        'lib/tsconfig.json': { extends: '../tsconfig.base.json', include: ['*.ts'] },
        'lib/a.ts': '',
        'web/package.json': { name: 'web', scripts: { types: 'tsc -p tsconfig.web.json' } },
        'web/tsconfig.web.json': { extends: '../tsconfig.base.json', include: ['src'] },
        'web/src/b.tsx': '',
        'api/package.json': { name: 'api', scripts: {} },
        'api/tsconfig.json': { include: ['.'] },
        'api/c.ts': '',
      },
      { gate: ['npm run typecheck', 'cd api && npx tsc'] },
    );
    expect(findings).toEqual([]);
    expect(areas.map(({ area, typechecked }) => [area, typechecked])).toEqual([
      ['api', 1],
      ['lib', 1],
      ['web/src', 1],
    ]);
  });
});

describe('what is wired and what is not', () => {
  it('names checks that exist and are not in the gate, with the step that adds them', async () => {
    const { findings } = await audit(
      {
        'package.json': scripts({
          lint: 'eslint .',
          build: 'vite build',
          test: 'node --test',
          check: 'echo hi',
        }),
        'a.test.js': '',
      },
      { gate: ['npm test'] },
    );
    expect(
      findings.map(({ kind, fix }) => [kind, fix.kind === 'policy' ? fix.addSteps[0]?.run : '']),
    ).toEqual([
      ['script-not-wired', 'npm run lint'],
      ['no-build', 'npm run build'],
    ]);
  });

  it('names a script whose runner computes what it runs', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'node --test a.test.js', 'test:web': 'vitest run' }),
      'vitest.config.ts': 'export default { test: { include: globs() } };',
      'a.test.js': '',
    });
    expect(findings).toMatchObject([
      { kind: 'script-not-wired', fix: { addSteps: [{ run: 'npm run test:web' }] } },
    ]);
  });

  it.each([
    ['tsc --noEmit src/*.ts', ['src/deep/c.ts']],
    ['tsc --noEmit --strict src/*.{ts,tsx} src/deep/c.ts', []],
    ['vue-tsc --pretty false src/a.ts', ['src/b.ts', 'src/deep/c.ts']],
    ['tsc --noEmit src/**/*.ts', ['src/a.ts', 'src/b.ts']],
  ])('reads the files that a type check names by itself: %s', async (typecheck, left) => {
    const { findings } = await audit({
      'package.json': scripts({ typecheck }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': '',
      'src/b.ts': '',
      'src/deep/c.ts': '',
    });
    expect(findings.flatMap(({ files }) => files)).toEqual(left);
  });

  it('does not propose a type check of files that the gate reads anyway', async () => {
    const files = (name: string) => ({
      'package.json': scripts({ typecheck: 'tsc --noEmit -p .', [name]: 'tsc --noEmit src/*.ts' }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': '',
    });
    expect((await audit(files('check:src'))).findings).toEqual([]);
  });

  it('does not guess which files a type check reads', async () => {
    const { findings, areas } = await audit({
      'package.json': scripts({ typecheck: "git ls-files '*.ts' | xargs tsc --noEmit" }),
      'src/a.ts': '',
    });
    expect(short(findings)).toEqual([['typecheck-unread', []]]);
    expect(areas).toMatchObject([{ typechecked: null, typecheckable: 1 }]);
  });

  it('follows the scripts that pnpm takes by a pattern', async () => {
    const { findings } = await audit({
      'package.json': scripts({
        test: 'pnpm run /^test:/',
        'test:unit': 'node --test',
        'test:lint': 'biome lint',
      }),
      'pnpm-lock.yaml': '',
      'a.test.js': '',
    });
    expect(findings).toEqual([]);
  });

  it('proposes a check once, and none that only calls others or runs the same tests with another reporter', async () => {
    const { findings } = await audit({
      'package.json': scripts({
        test: 'borp',
        'test:ci-report': 'c8 borp --reporter=terse',
        'check:lint': 'eslint .',
        'check:type': 'tsc --noEmit',
        check: 'npm run check:type && npm run check:lint',
        'test-all': 'borp && npm run check',
      }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': '',
    });
    expect(findings.filter(({ kind }) => kind === 'script-not-wired').map(({ title }) => title)).toEqual([
      'script check:lint (lint) is not in the gate',
      'script check:type (typecheck) is not in the gate',
    ]);
  });

  it.each([
    [{}, 'advice'],
    [{ workspaces: ['test/*'] }, 'policy'],
  ])('proposes no step that a slot could not run: packages below test with %j', async (more, fix) => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'node --test a.test.js' }, more),
      'a.test.js': '',
      'test/bundled/package.json': scripts({ test: 'node --test b.test.js' }),
      'test/bundled/b.test.js': '',
    });
    expect(findings.find(({ kind }) => kind === 'script-not-wired')?.fix.kind).toBe(fix);
  });

  it('takes tests of types for a check of types', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'ava && tsd' }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': '',
    });
    expect(findings).toEqual([]);
  });

  it.each([
    ['vitest run -u', 'step-cannot-fail', true],
    ['jest --updateSnapshot', 'step-cannot-fail', true],
    ['eslint --fix . && node --test', 'lint-hides-warnings', false],
    ['biome check --write && node --test', 'lint-hides-warnings', false],
  ])('finds that %s changes what it should judge', async (test, kind, hidesWork) => {
    const { findings } = await audit({
      'package.json': scripts({ test }),
      'a.test.js': '',
      '__snapshots__/a.test.js.snap': '',
    });
    expect(findings).toContainEqual(expect.objectContaining({ kind, hidesWork }));
  });

  it('finds steps that can not fail behind a script, and options that make them weak', async () => {
    const { findings } = await audit({
      'package.json': scripts({
        lint: 'eslint . --quiet',
        test: 'npm run unit && npm run types',
        unit: 'jest --passWithNoTests --onlyChanged',
        types: 'tsc || true',
      }),
      'a.test.js': "test.only('a', () => {})",
      '.eslintignore': 'gen\n',
      'gen/a.js': '',
    });
    expect(findings.map(({ kind }) => kind).sort()).toEqual(
      [
        'focused-tests',
        'lint-hides-warnings',
        'lint-leaves-out',
        'only-changed',
        'passes-without-tests',
        'step-cannot-fail',
      ].sort(),
    );
    expect(findings.find(({ kind }) => kind === 'lint-leaves-out')?.files).toEqual(['gen/a.js']);
  });

  it.each([
    ['set -o pipefail; vitest run | tee test.log', ['pipe-needs-bash']],
    ['vitest', ['waits-for-input']],
    ['vitest run --passWithNoTests', ['passes-without-tests']],
    ['jest --passWithNoTests --onlyChanged', ['only-changed', 'passes-without-tests']],
    ['vitest run &', ['step-cannot-fail']],
    ['npm run units', ['script-missing']],
    ['cross-env CI=true vitest run', []],
    ['timeout 600 npx vitest run', []],
    ['uv run true', ['step-cannot-fail']],
  ])('says of the script %j what is weak about it', async (test, kinds) => {
    const runner = test.includes('jest') ? '' : "import { test } from 'vitest';\n";
    const { findings } = await audit({
      'package.json': scripts({ test }),
      ...(kinds[0] === 'step-cannot-fail' || kinds[0] === 'script-missing'
        ? {}
        : { 'a.test.js': `${runner}test('a', () => {});\n` }),
    });
    expect(findings.map(({ kind }) => kind).sort()).toEqual(kinds);
  });

  it('accepts what the policy accepts, with its reason, and no more than that', async () => {
    const { findings } = await audit({
      'package.json': scripts({ test: 'vitest run src' }),
      'headway.yaml': 'accept:\n  - { finding: tests-never-run, reason: old, files: [old] }\n',
      'src/a.test.ts': '',
      'old/b.test.ts': '',
      'new/c.test.ts': '',
    });
    expect(findings.map(({ kind, files, accepted }) => [kind, files, accepted])).toEqual([
      ['tests-never-run', ['old/b.test.ts'], 'old'],
      ['tests-never-run', ['new/c.test.ts'], undefined],
    ]);
  });

  it('is ungated, loudly, where there is no step', async () => {
    const { findings } = await audit({ 'notes.md': 'x' });
    expect(findings).toMatchObject([{ kind: 'ungated', severity: 'error' }]);
  });
});
