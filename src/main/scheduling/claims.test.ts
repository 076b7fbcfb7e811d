import { describe, expect, it } from 'vitest';
import { readPath } from '../paths/paths.ts';
import { claimsOverlap, isWithinClaim, toClaim } from './claims.ts';
import { hubOf } from './hubs.ts';
import { trackedPaths } from './tracked-paths.ts';

const root = '/srv/shop';
const tracked = trackedPaths(['app/(shop)/[slug]/page.tsx', 'odd/a*b.txt', 'src/ui/button.tsx']);
const declared = (paths: readonly string[]) => toClaim(paths, { root, tracked, from: 'declared' });
const overlap = (a: readonly string[], b: readonly string[]): boolean =>
  claimsOverlap(declared(a), declared(b)) !== undefined;

describe('claims that overlap', () => {
  it.each([
    ['a directory and a file in it', ['src/ui/'], ['src/ui/button.tsx']],
    ['one file with a leading dot', ['./src/api/users.ts'], ['src/api/users.ts']],
    ['a doubled slash', ['src//api/users.ts'], ['src/api']],
    ['dots in the midst', ['src/ui/../api/users.ts'], ['src/api/users.ts']],
    ['a glob and a file that it matches', ['data/geo/*.json'], ['data/geo/rome.json']],
    ['a glob and a file below its fixed prefix', ['src/**/*.test.ts'], ['src/ui/button.tsx']],
    ['a glob without a fixed prefix', ['**/*.md'], ['src/api/users.ts']],
    ['braces', ['src/{ui,api}'], ['src/api/users.ts']],
    ['the top of the repository', ['.'], ['docs/readme.md']],
    ['the root, of whatever', ['/'], ['docs/readme.md']],
    ['no paths on one side', [], ['docs/readme.md']],
    ['no paths on both sides', [], []],
    ['a slash behind a file', ['src/api/users.ts/'], ['src/api/users.ts']],
    ['a path out of the repository', ['../other-repo/src/a.ts'], ['docs/readme.md']],
    ['an absolute path elsewhere', ['/etc/hosts'], ['docs/readme.md']],
    ['an absolute path in the repository', [`${root}/src/api/users.ts`], ['src/api']],
    ['a file that neither has made yet', ['src/api/new-file.ts'], ['src/api/new-file.ts', 'src/ui/mod.ts']],
    ['a module without its extension', ['src/ui/button'], ['src/ui/button.tsx']],
    ['a module with a dotted name', ['src/users.service'], ['src/users.service.ts']],
    ['composed and decomposed letters', ['docs/caf\u00e9.md'], ['docs/cafe\u0301.md']],
    ['names that differ in case', ['src/UI/Button.tsx'], ['src/ui/button.tsx']],
    ['a directory in other case', ['SRC/api'], ['src/api/users.ts']],
    ['a dot at the end', ['docs/readme.md.'], ['docs/readme.md']],
    ['a stream of the same file', ['docs/readme.md::$DATA'], ['docs/readme.md']],
    ['letters that fold to the same', ['src/stra\u00dfe.ts'], ['src/STRASSE.ts']],
    ['back slashes', ['src\\ui\\button.tsx'], ['src/ui']],
    ['characters that nobody sees', ['src/ui/but\u200bton.tsx\ufeff'], ['src/ui/button.tsx']],
    ['an escaped bracket, which may be a separator', ['app/\\(shop\\)/x.ts'], ['app/(shop)/x.ts']],
    ['a character class', ['src/[a-c].ts'], ['src/b.ts']],
    ['a manifest, which touches everything', ['package.json'], ['docs/readme.md']],
  ])('holds apart %s', (_, a, b) => {
    expect(overlap(a, b)).toBe(true);
    expect(overlap(b, a)).toBe(true);
  });

  it.each([
    ['a name that only begins alike', ['src/ui'], ['src/ui-kit/button.tsx']],
    ['siblings', ['src/ui/button.tsx'], ['src/ui/mod.ts']],
    ['a new file and another one', ['src/api/new-file.ts'], ['src/ui/mod.ts']],
    ['one name in two directories', ['docs/readme.md'], ['README.md']],
    ['a file and its test', ['src/a.ts'], ['src/a.test.ts']],
    ['brackets of a route', ['app/(shop)/[slug]/page.tsx'], ['app/(shop)/layout.tsx']],
    ['routes that differ', ['app/[id]/page.tsx'], ['app/[...rest]/page.tsx']],
    ['a star that is in the name', ['odd/a*b.txt'], ['odd/c.txt']],
  ])('lets run together %s', (_, a, b) => {
    expect(overlap(a, b)).toBe(false);
    expect(overlap(b, a)).toBe(false);
  });

  it('says which paths overlap', () => {
    expect(claimsOverlap(declared(['docs', 'src/ui/button.tsx']), declared(['lib', 'src/UI']))).toEqual({
      path: 'src/ui/button.tsx',
      theirPath: 'src/UI',
    });
  });
});

describe('a claim', () => {
  it.each([
    ['~/notes.md', 'home directory'],
    ['$HOME/notes.md', 'variable'],
    ['https://example.org/src/a.ts', 'address'],
    ['C:src/a.ts', 'drive'],
    ['src/*/../../x', 'climbs up'],
    ['src/.../x', 'dots or spaces'],
    ['SRC~1/x.ts', 'short name'],
    ['.git/config', "git's own"],
    ['src/a\u0007.ts', 'control characters'],
  ])('touches everything where %j can not be understood', (path, why) => {
    const claim = declared([path, 'docs/readme.md']);
    expect(claim.kind === 'everything' && claim.why).toContain(why);
  });

  it('takes a path through the parent of the repository back into it', () => {
    expect(readPath('../shop/src/a.ts', { root })).toEqual({ kind: 'path', path: 'src/a.ts' });
    expect(readPath('c:\\Shop\\SRC\\a.ts', { root: 'C:\\shop' })).toEqual({ kind: 'path', path: 'SRC/a.ts' });
  });

  it('is not shrunk by an exception, and is everything where there are exceptions only', () => {
    expect(declared(['src/**', '!src/ui'])).toEqual({ kind: 'paths', paths: ['src'], from: 'declared' });
    expect(declared(['!src/ui'])).toMatchObject({ kind: 'everything', why: 'it names exceptions only' });
  });

  it('takes names that git reported literally', () => {
    const claim = toClaim(['src/[ab]*.ts', ' lead.ts'], { root, from: 'changed' });
    expect(claim).toEqual({ kind: 'paths', paths: ['src/[ab]*.ts', ' lead.ts'], from: 'changed' });
  });

  it('knows hub files: manifests anywhere, configuration at the top, all of the CI', () => {
    for (const path of [
      'packages/a/package.json',
      'tsconfig.json',
      'vite.config.ts',
      '.github/workflows/ci.yml',
    ]) {
      expect(hubOf(path)).toBeDefined();
    }
    for (const path of [
      'src/tsconfig.json',
      'src/app.config.ts',
      'docs/package.json.md',
      '.github/CODEOWNERS',
    ]) {
      expect(hubOf(path)).toBeUndefined();
    }
    const own = { root, hubs: ['/src/routes.ts'], from: 'declared' } as const;
    expect(toClaim(['package.json'], own).kind).toBe('paths');
    expect(toClaim(['src/routes.ts'], own)).toMatchObject({ kind: 'everything' });
  });

  it('tells which changed files lie outside', () => {
    const claim = declared(['src/ui', 'src/api/users']);
    expect(isWithinClaim('src/UI/deep/x.ts', claim)).toBe(true);
    expect(isWithinClaim('src/api/users.ts', claim)).toBe(true);
    expect(isWithinClaim('src/index.ts', claim)).toBe(false);
    expect(isWithinClaim('src', claim)).toBe(false);
    expect(isWithinClaim('anything', { kind: 'everything', why: '' })).toBe(true);
  });
});
