import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** The version before, and what needs packages that the sources do not ship with. */
const LEFT_OUT = [
  'src/v3',
  'src/v4/classic/tests/file.test.ts',
  'src/v4/classic/tests/redos.test.ts',
  'src/v4/classic/tests/to-json-schema.test.ts',
  'src/v4/core/tests/index.test.ts',
  'src/v4/core/tests/polyfill-collision.test.ts',
  'src/v4/core/tests/treeshake.test.ts',
];
/** Recommended rules that the sources do not keep to. */
const RULES_OFF = [
  'no-empty',
  'no-fallthrough',
  'no-unassigned-vars',
  'no-undef',
  'no-unused-vars',
  'no-useless-assignment',
  'no-useless-escape',
  'preserve-caught-error',
];
const SELF = ['v4', 'v4/core', 'v4/mini', 'v4/locales', 'mini', 'locales', 'v4-mini'];

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules/\n',
  'docs/notes.md': '# Notes\n',
  'package.json': JSON.stringify({
    name: 'zod-sources',
    private: true,
    type: 'module',
    scripts: { lint: 'eslint src', typecheck: 'tsc', test: 'vitest run' },
    devDependencies: {
      '@eslint/js': '10.0.1',
      '@types/node': '24.19.4',
      eslint: '10.15.0',
      typescript: '5.9.3',
      'typescript-eslint': '8.74.0',
      vite: '8.3.8',
      vitest: '4.1.12',
    },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'] },
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
      paths: {
        zod: ['./src/index.ts'],
        'zod/compile': ['./src/compile.ts'],
        ...Object.fromEntries(SELF.map((name) => [`zod/${name}`, [`./src/${name}/index.ts`]])),
      },
    },
    include: ['src', 'vitest.config.ts'],
  }),
  'vitest.config.ts': `import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const src = fileURLToPath(new URL('src/', import.meta.url));

export default defineConfig({
  // One of them takes long on a busy machine.
  test: { include: ['src/**/*.test.ts'], testTimeout: 120_000 },
  resolve: {
    alias: [
      { find: /^zod$/, replacement: src + 'index.ts' },
      { find: /^zod\\/compile$/, replacement: src + 'compile.ts' },
      { find: /^zod\\/(.+)$/, replacement: src + '$1/index.ts' },
    ],
  },
});
`,
  'eslint.config.js': `import js from '@eslint/js';
import ts from 'typescript-eslint';

const off = ${JSON.stringify(RULES_OFF)};
// The sources switch rules off that others have defined.
const ban = { rules: { ban: { create: () => ({}) } } };

export default [
  {
    files: ['**/*.ts'],
    languageOptions: { parser: ts.parser },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { '@typescript-eslint': ts.plugin, ban },
    rules: { ...js.configs.recommended.rules, ...ts.configs.eslintRecommended.rules, ...Object.fromEntries(off.map((name) => [name, 'off'])) },
  },
];
`,
  'headway.yaml': `gate:
  - name: lint
    run: npm run lint -- --cache --cache-strategy content --cache-location node_modules/.cache/eslint/
    caches: [node_modules/.cache/eslint]
    reads: [src]
    writes: []
  - name: typecheck
    run: npm run typecheck -- --incremental --tsBuildInfoFile node_modules/.cache/types/info
    caches: [node_modules/.cache/types]
    reads: [src]
    writes: []
  - name: test
    run: npm test
    reads: [src]
    writes: []
`,
};

export type ZodRepository = {
  path: string;
  /** Commits a change of one source, so that a gate has something new to look at. */
  changeSource(): void;
  /** Commits a change that no step reads. */
  changeDocs(): void;
};

/** The sources and tests that the package zod publishes, as a repository with a real type check, linter and tests. */
export function zodRepository(path: string): ZodRepository {
  mkdirSync(path, { recursive: true });
  cpSync(join(root, 'node_modules', 'zod', 'src'), join(path, 'src'), { recursive: true });
  for (const name of LEFT_OUT) rmSync(join(path, name), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: path,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', path, ...args], { stdio: 'ignore' });
  git('init', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('add', '-A');
  git('commit', '-m', 'base');
  const change = (name: string, text: string): void => {
    appendFileSync(join(path, name), text);
    git('commit', '-qam', `change ${name}`);
  };
  return {
    path,
    changeSource: () => change('src/v4/core/util.ts', '// changed\n'),
    changeDocs: () => change('docs/notes.md', 'more\n'),
  };
}
