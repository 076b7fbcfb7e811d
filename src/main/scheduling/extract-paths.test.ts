import { describe, expect, it } from 'vitest';
import { extractPaths } from './extract-paths.ts';
import { trackedPaths } from './tracked-paths.ts';

const tracked = trackedPaths([
  ...['src/ui/button.tsx', 'src/ui/mod.ts', 'src/ui-kit/button.tsx', 'src/api/users.ts', 'src/db/users.ts'],
  ...['data/geo/rome.json', 'docs/readme.md', 'docs/design notes/plan v2.md', 'README.md', 'Dockerfile'],
  ...['app/(shop)/[slug]/page.tsx', '.github/workflows/ci.yml', 'package.json'],
]);
const extract = (text: string) => extractPaths(text, { root: '/srv/shop', tracked });

describe('paths that a text names without doubt', () => {
  it.each([
    ['Fix the null check in `src/api/users.ts:12:3`', ['src/api/users.ts']],
    ['Change only `app/(shop)/[slug]/page.tsx`', ['app/(shop)/[slug]/page.tsx']],
    ['Reword `docs/design notes/plan v2.md`', ['docs/design notes/plan v2.md']],
    ['Reword docs/design notes/plan v2.md', ['docs/design notes/plan v2.md']],
    ['Edit src\\ui\\button.tsx', ['src/ui/button.tsx']],
    ['Touch src/ui/button.tsx, src/api/users.ts.', ['src/ui/button.tsx', 'src/api/users.ts']],
    ['Change **src/ui/button.tsx** (see [it](src/ui/button.tsx#L10-L20))', ['src/ui/button.tsx']],
    ['Files: `Dockerfile`, `.github/workflows/ci.yml`', ['Dockerfile', '.github/workflows/ci.yml']],
    ['Rename src/ui/button.tsx -> src/ui/push-button.tsx', ['src/ui/button.tsx', 'src/ui/push-button.tsx']],
    ['Edit `src/ui/button.tsx\u200b`', ['src/ui/button.tsx']],
    ['- [ ] src/ui/mod.ts\n- [x] `src/api/`', ['src/ui/mod.ts', 'src/api']],
    ['Update `src/ui/mod.ts`. Do NOT modify `src/api/users.ts`.', ['src/ui/mod.ts']],
    ['Do not touch:\n- `src/api`\n- src/db\n\nWork on `src/ui/mod.ts`.', ['src/ui/mod.ts']],
    ['## Out of scope\n`src/api`\n## Work\n`src/ui/mod.ts`', ['src/ui/mod.ts']],
    ['Everything under src/ui (except mod.ts)', ['src/ui']],
    ['Make `src/ui/mod.ts` answer /users/settings with text/html', ['src/ui/mod.ts']],
    ['Format `src/{ui,api}` and `data/geo/*.json`', ['src', 'data/geo']],
    ['Add `/srv/shop/src/api/new.ts`', ['src/api/new.ts']],
    ['```headway\nwrite: src/api/users.ts\n```\nEdit `src/ui/mod.ts`', ['src/ui/mod.ts']],
  ])('%j', (text, paths) => {
    expect(extract(text)).toEqual({ paths, claim: true, why: 'its text names them' });
  });
});

describe('a text in doubt claims nothing', () => {
  it.each([
    [
      'a trace',
      'TypeError: x\n    at load (src/api/users.ts:12:3)\n    at node:internal/timers:5:1',
      ['src/api/users.ts'],
    ],
    ['frames of packages', '    at run (node_modules/lib/index.js:9:1)', []],
    ['a diff', 'diff --git a/src/ui/mod.ts b/src/ui/mod.ts', ['src/ui/mod.ts']],
    ['code', 'Fails:\n```ts\nopen("src/ui/mod.ts")\n```', ['src/ui/mod.ts']],
    ['a path of another machine', 'c:\\Program Files (x86)\\Acme\\app\\main.js:23:30196', []],
    ['a base name of two files', 'Fix users.ts', []],
    ['an import alias', "Import from '@/ui/button' is broken", []],
    ['no paths', '## Files\nThe usual front-end area.', []],
    ['negated paths only', 'Restyle the form. Do not touch `src/api/` or `src/db/users.ts`.', []],
    ['a negation over two lines', 'Please do not\ntouch `src/api/users.ts`.', []],
    ['all but some', 'Out of scope: src/api, src/db. Everything else is fair game.', []],
    ['a link', 'See https://github.com/acme/shop/blob/main/src/ui/button.tsx#L10 for context', []],
    ['packages', 'Bump @acme/ui/button to v1.2.3 and react-dom/client', []],
    [
      'media types and fractions',
      'Return application/json, and/or text/html over TCP/IP; n/a for HTTP/1.1 24/7',
      [],
    ],
    ['products', 'Move from Next.js to Node.js, e.g. via Vue.js; see socket.io', []],
    ['remotes', 'Mirror git@github.com:acme/shop.git and acme/shop#42 and origin/feature/src', []],
    ['a route', 'The page /users/settings returns 500', []],
    ['an example', 'Similar to what we did in `src/ui/button.tsx`, but for the API', []],
    ['a double negation', 'Do not forget to update `src/api/users.ts`', []],
    ['a path that must stay', '`src/api/users.ts` must not change; edit `src/ui/mod.ts`', ['src/ui/mod.ts']],
    ['a negation in another language', 'Bitte `src/api/users.ts` nicht anfassen', []],
    ['more than is named', 'Edit `src/ui/mod.ts` and all its callers', ['src/ui/mod.ts']],
    ['a guess', 'Probably `src/ui/mod.ts`', ['src/ui/mod.ts']],
    ['a command', 'Run `node src/ui/mod.ts`', []],
    ['a path that is not there', 'Fix `src/ui/knob`', []],
    ['the whole repository', 'Tidy `.` and `src/ui/mod.ts`', ['src/ui/mod.ts']],
    ['a path out of the repository', 'Edit `../lib/a.ts` and `src/ui/mod.ts`', ['src/ui/mod.ts']],
    ['a file of the system', 'Read `/etc/hosts`, edit `src/ui/mod.ts`', ['src/ui/mod.ts']],
  ])('%s', (_, text, paths) => {
    expect(extract(text)).toMatchObject({ paths, claim: false });
  });
});

describe('a text that nobody wrote', () => {
  const path = 'Change `src/ui/mod.ts`.';
  it.each([
    ['a blob', `${path}\n\n${'x'.repeat(90_000)}`, /word/],
    ['brackets', `${path}\n\n${'['.repeat(90_000)}`, /word/],
    ['a blob in code', `${path}\n\n\`\`\`\n${'('.repeat(90_000)}\n\`\`\``, /word/],
    ['a log in one paragraph', `${path}\n\n${'read src/ui/mod.ts now\n'.repeat(4000)}`, /paragraph/],
    ['megabytes', `${path}\n\n${'some words\n\n'.repeat(500_000)}`, /text is too long/],
  ])('is not read for minutes but claims everything: %s', (_, text, why) => {
    let lookUps = 0;
    class Counted extends Set<string> {
      override has(value: string): boolean {
        lookUps += 1;
        return super.has(value);
      }
    }
    const counted = new Counted(tracked);
    lookUps = 0;
    expect(extractPaths(text, { root: '/srv/shop', tracked: counted })).toEqual({
      paths: [],
      claim: false,
      why: expect.stringMatching(why),
    });
    // What is too long is refused before anything in it is tried as a path: that is what would take minutes.
    expect(lookUps).toBe(0);
  });

  it('is read where only the steps of a scripted ticket are long', () => {
    const steps = `\`\`\`headway\n- write: { path: a, content: ${'x'.repeat(200_000)} }\n\`\`\``;
    expect(extract(`${path}\n\n${steps}`)).toMatchObject({ paths: ['src/ui/mod.ts'], claim: true });
  });
});
