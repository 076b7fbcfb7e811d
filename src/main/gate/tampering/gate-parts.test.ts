import { describe, expect, it } from 'vitest';
import { loadedBy } from './gate-parts.ts';

const FILES = new Set([
  'test/setup.ts',
  'test/global.js',
  'tools/rules/index.js',
  'src/index.ts',
  'pkg/test/setup.ts',
  'mine.cjs',
]);
const loaded = (path: string, text: string) => loadedBy(path, text, (at) => FILES.has(at));

describe('what a configuration loads', () => {
  it.each([
    ['vitest.config.ts', "export default { test: { setupFiles: ['./test/setup.ts'] } }", ['test/setup.ts']],
    ['vitest.config.ts', "test: { globalSetup: './test/global' }", ['test/global.js']],
    [
      'jest.config.js',
      "module.exports = { setupFilesAfterEnv: ['<rootDir>/test/setup.ts', 'jest-extended'] }",
      ['test/setup.ts'],
    ],
    [
      'package.json',
      '{"jest":{"setupFiles":["./test/global.js"],"testEnvironment":"node"}}',
      ['test/global.js'],
    ],
    ['pkg/vitest.config.ts', "setupFiles: 'test/setup.ts'", ['pkg/test/setup.ts']],
    ['.mocharc.yml', 'require:\n  - ./mine.cjs\nspec: test\n', ['mine.cjs']],
    ['eslint.config.js', "plugins: { local: './tools/rules' }", ['tools/rules/index.js']],
    ['vite.config.ts', "build: { lib: { entry: 'src/index.ts' } }", []],
    ['tsconfig.json', '{"files":["src/index.ts"],"include":["src"]}', []],
  ])('of %s, %s', (path, text, files) => {
    expect(loaded(path, text)).toEqual(files);
  });
});
