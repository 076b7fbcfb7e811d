import { describe, expect, it } from 'vitest';
import { addedSuppressions } from './suppressions.ts';

const patch = (file: string, ...lines: string[]): string =>
  [`diff --git a/${file} b/${file}`, `--- a/${file}`, `+++ b/${file}`, '@@ -1 +1 @@', ...lines].join('\n');

describe('addedSuppressions', () => {
  it.each([
    ['src/a.ts', '+// @ts-nocheck'],
    ['src/a.js', '+/* eslint-disable */'],
    ['src/a.ts', '+// biome-ignore-all lint: later'],
    ['a.py', '+# type: ignore'],
    ['src/a.test.ts', "+  it.skip('adds', () => {"],
    ['src/a.test.ts', "+xdescribe('all', () => {"],
    ['test/a.js', "+test('adds', { skip: true }, () => {"],
    ['src/a.test.ts', "+  test.only('one', () => {"],
    ['test_a.py', '+@pytest.mark.skip(reason="later")'],
    ['a_test.go', '+\tt.Skip("later")'],
    ['src/a.test.ts', '+const later = process.env.CI ? test.skip : test;'],
    ['src/a.test.ts', "+test['skip']('one', () => {});"],
    ['src/a.test.ts', "+test('one', { timeout: 1, skip: true }, () => {});"],
    ['src/a.test.ts', '+  if (process.env.CI) return;'],
    ['src/a.test.ts', '+process.exit(0);'],
    ['src/a.test.ts', '+process.stdout.write = () => true;'],
    ['a_test.go', '+//go:build never'],
    ['a_test.go', '+\tos.Exit(0)'],
    ['test_a.py', '+os._exit(0)'],
    ['conftest.py', '+collect_ignore = ["test_a.py"]'],
    ['src/any.d.ts', "+declare module '*';"],
    ['src/a.ts', '+if (process.env.VITEST) return 1;'],
    ['a.py', '+if "pytest" in sys.modules:'],
  ])('finds in %s the line %j', (file, line) => {
    expect(addedSuppressions(patch(file, line))).toEqual([file]);
  });

  it.each([
    ['src/a.ts', '-// @ts-nocheck'],
    ['src/a.js', '+// eslint-disable-next-line no-console'],
    ['src/a.js', '+/* eslint-disable no-console */'],
    ['src/list.ts', '+  return items.skip(3).only(x);'],
    ['src/a.test.ts', "+it('skips what is only there', () => {"],
    ['src/a.ts', '+// the word @ts-nocheck inside a sentence'],
    ['src/a.test.ts', "+  const list = [{ id: 1, todo: 'milk' }, { take: 5, skip: 10 }];"],
    ['src/a.test.ts', "+  expect(run('process.exit(0)')).toBe(0);"],
    ['src/a.test.ts', "+  vi.spyOn(process, 'exit');"],
    ['src/cli.ts', '+process.exit(0);'],
    ['src/a.ts', "+if (process.env.NODE_ENV === 'test') return;"],
    ['conftest.py', '+def client(): return Client()'],
    ['src/images.d.ts', "+declare module '*.svg';"],
    ['docs/a.md', '+process.env.VITEST tells'],
  ])('leaves %s alone with %j', (file, line) => {
    expect(addedSuppressions(patch(file, line))).toEqual([]);
  });

  it('lets a new test be skipped, but not end the run or hide a new file', () => {
    const isNew = () => true;
    expect(addedSuppressions(patch('src/a.test.ts', "+test.skip('one', () => {});"), isNew)).toEqual([]);
    expect(addedSuppressions(patch('src/a.test.ts', '+process.exit(0);'), isNew)).toEqual(['src/a.test.ts']);
    expect(addedSuppressions(patch('src/a.ts', '+// @ts-nocheck'), isNew)).toEqual(['src/a.ts']);
    expect(addedSuppressions(patch('docs/a.md', '+// @ts-nocheck'), isNew)).toEqual([]);
  });

  it('reads names that git quotes', () => {
    const quoted = '+++ "b/src/\\303\\244 \\"b\\".ts"\n@@ -1 +1 @@\n+// @ts-nocheck';
    expect(addedSuppressions(quoted)).toEqual(['src/ä "b".ts']);
    expect(addedSuppressions('+++ /dev/null\n+// @ts-nocheck')).toEqual([]);
  });
});
