import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewerTests, testCount } from './test-count.ts';

const fewer = (before: Record<string, string>, after: Record<string, string>) =>
  fewerTests(
    [...new Set([...Object.keys(before), ...Object.keys(after)])],
    (path) => before[path],
    (path) => after[path],
  );
const tests = (count: number): string =>
  Array.from({ length: count }, (_, at) => `test('${at}', () => {});\n`).join('');

describe('tests that a file declares', () => {
  it.each([
    ['a.test.ts', "it('a', f);\n  test.each([1])('b', f);\ntest(`c`, f);\n// test('d', f)\n/* it('e') */", 3],
    ['a.test.ts', "const all = 'src/**';\ntest('a', f);\nconst any = '**/b';", 1],
    ['a.test.ts', "unit.test(x); /re/.test(y); submit('x'); const test = 1;", 0],
    ['a.test.js', "import assert from 'node:assert';\nassert.equal(1, 1);\nassert(true);", 1],
    ['test_a.py', 'def test_a():\n  pass\n\nclass TestB:\n    async def test_b(self): ...\n# def test_c', 2],
    ['a_test.go', 'func TestA(t *testing.T) {}\nfunc helper() {}\nfunc TestMain(m *testing.M) {}', 2],
    ['tests/a.rs', '#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}', 2],
    ['tests/notes.sh', 'test -f a', 0],
  ])('in %s', (path, text, count) => {
    expect(testCount(path, text)).toBe(count);
  });

  it('may move, but not get fewer', () => {
    expect(fewer({ 'a.test.js': tests(3) }, { 'a.test.js': tests(2) })).toEqual(['a.test.js']);
    expect(fewer({ 'a.test.js': tests(3) }, { 'a.test.js': '' })).toEqual(['a.test.js']);
    expect(fewer({ 'a.test.js': tests(3) }, { 'a.test.js': tests(1), 'b.test.js': tests(2) })).toEqual([]);
    expect(fewer({ 'src/a.js': tests(3) }, { 'src/a.js': '' })).toEqual([]);
  });

  it('are fewer only where the sum is, and then some file is named', () => {
    const count = fc.nat(5);
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { maxLength: 5 }), (pairs) => {
        const files = (side: 0 | 1) =>
          Object.fromEntries(pairs.map((pair, at) => [`f${at}.test.js`, tests(pair[side])]));
        const sum = pairs.reduce((total, [before, after]) => total + after - before, 0);
        expect(fewer(files(0), files(1)).length > 0).toBe(sum < 0);
      }),
    );
  });
});
