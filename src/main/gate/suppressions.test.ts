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
  ])('leaves %s alone with %j', (file, line) => {
    expect(addedSuppressions(patch(file, line))).toEqual([]);
  });
});
