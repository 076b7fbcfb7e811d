import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatch, globProblem } from './globs.ts';

describe('a glob of a policy', () => {
  it.each([
    ['*.ts', 'src/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**.ts', 'src/deep/a.ts', true],
    ['/check.sh', 'check.sh', true],
    ['a.{js,ts}', 'x/a.ts', true],
    ['dir/', 'dir/x/y', true],
    ['dir', 'x/dir/y/z', true],
    ['dir', 'directory/y', false],
    ['a?c', 'abc', true],
    ['a.c', 'abc', false],
    ['a+(b)', 'a+(b)', true],
    ['a+(b)', 'abb', true],
    ['scripts/release.[cm]js', 'scripts/release.mjs', true],
    ['scripts/release.[cm]js', 'scripts/release.cjs', true],
    ['scripts/release.[cm]js', 'scripts/release.js', false],
    ['scripts/release.?(c|m)js', 'scripts/release.js', true],
    ['scripts/release.?(c|m)js', 'scripts/release.cjs', true],
    ['scripts/release.@(c|m)js', 'scripts/release.mjs', true],
    ['scripts/!(a).sh', 'scripts/b.sh', true],
    ['scripts/!(a).sh', 'scripts/a.sh', false],
    ['v[0-9]/check.sh', 'v7/check.sh', true],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['[id].tsx', 'app/[id].tsx', true],
    ['app/(shop)/[slug]', 'app/(shop)/[slug]/page.tsx', true],
    ['.github', '.github/workflows/ci.yml', true],
    ['Check.SH', 'check.sh', true],
    ['**', '.env', true],
  ])('%s on %s: %s', (glob, path, matches) => {
    expect(globMatch(glob)(path)).toBe(matches);
  });

  it.each([
    ['*.ts', 'src/a.ts', false],
    ['src', 'src/a.ts', true],
    ['src', 'x/src/a.ts', false],
  ])('from the top, %s on %s: %s', (glob, path, matches) => {
    expect(globMatch(glob, true)(path)).toBe(matches);
  });

  it('matches every path that it names letter for letter, and all that is below it', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ab.[]()+@{}'), minLength: 1, maxLength: 6 });
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, part, (named, below) => {
        fc.pre(!named.startsWith('./') && named !== '.');
        expect(globMatch(named)(named)).toBe(true);
        expect(globMatch(named)(`${named}/${below}`)).toBe(true);
      }),
    );
  });

  it.each(['!src/**', 'a.{js,ts', 'x/?(a|b', '!x'])('%s is refused', (glob) => {
    expect(globProblem(glob)).toBeDefined();
  });

  it.each(['scripts/!(a).sh', '!(a).sh', 'app/(shop)/[slug]', 'a.{js,ts}', '*.ts', 'a)', 'a}'])(
    '%s is taken',
    (glob) => {
      expect(globProblem(glob)).toBeUndefined();
    },
  );
});
