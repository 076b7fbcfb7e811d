import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogueTokens } from '../../redaction/testing/secret-samples.ts';
import { checkDataFiles } from './data-files.ts';
import { schemaOf } from './front-matter.ts';
import { checkMarkdown } from './markdown.ts';
import { checkMergeMarkers } from './merge-markers.ts';
import type { BuiltinTree } from './problems.ts';
import { checkSecrets } from './secrets.ts';

const tree = (files: Record<string, string>, added?: BuiltinTree['added']): BuiltinTree => ({
  files: Object.keys(files).sort(),
  read: (path) => files[path],
  added,
});
const said = ({
  problems,
}: {
  problems: readonly { path: string; line: number; message: string }[];
}): string[] => problems.map(({ path, line, message }) => `${path}:${line}: ${message}`);

describe('Markdown', () => {
  it('finds links, wikilinks, embeds and anchors that lead nowhere', () => {
    const found = checkMarkdown(
      tree({
        'index.md':
          '# Start\n[a](notes/a.md) [b](notes/b.md)\n[[a]] [[Nowhere]] ![[pic.png]] ![[lost.png]]\n[[a#One]] [[a#Two]] [x](#start) [y](#end)\n',
        'notes/a.md': '---\ntags: [x]\n---\n## One\nback to [home](../index.md#start) and [top](/index.md)\n',
        'img/pic.png': '',
      }),
    );
    expect(said(found)).toEqual([
      'index.md:2: link notes/b.md leads nowhere',
      'index.md:3: wikilink [[Nowhere]] leads nowhere',
      'index.md:3: embed [[lost.png]] leads nowhere',
      'index.md:4: wikilink [[a#Two]]: notes/a.md has no heading or anchor Two',
      'index.md:4: link #end: index.md has no heading or anchor end',
    ]);
    expect(found.looked).toBe('2 notes, 12 links');
  });

  it('leaves alone what is code, a comment, another site, an alias, a block or an escaped space', () => {
    const found = checkMarkdown(
      tree({
        'a.md':
          '`[[x]]`\n```\n[[y]] [z](z.md)\n```\n<!-- [[c]] -->\n[s](https://example.org/#x) <mailto:a@b.c>\n[[b note|an alias]] [n](b%20note.md) [[b note#^block]] [q](<b note.md>)\n- [ ] task [^1]\n\n[^1]: foot\n[ref]: b%20note.md\n',
        'b note.md': 'text ^block\n',
      }),
    );
    expect(said(found)).toEqual([]);
  });

  it('tells wrong front matter and a name that means two notes', () => {
    const found = checkMarkdown(
      tree({
        'a.md': '---\na: [\n---\n[[same]]\n',
        'x/same.md': '',
        'y/same.md': '',
        'z.md': '[[x/same]]\n---\n',
      }),
    );
    expect(said(found)[0]).toMatch(/^a\.md:1: front matter is not YAML/);
    expect(said(found).slice(1)).toEqual(['a.md:4: wikilink [[same]] means x/same.md or y/same.md']);
  });

  it('holds front matter against a JSON Schema, with the line of what is wrong', () => {
    const schema = schemaOf({
      type: 'object',
      required: ['title', 'date'],
      properties: {
        title: { type: 'string', minLength: 1 },
        date: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { enum: ['idea', 'log'] } },
        author: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
      },
      additionalProperties: false,
    });
    const notes = {
      'notes/good.md': '---\ntitle: A\ndate: 2026-02-28\ntags: [idea]\n---\ntext\n',
      'notes/bad.md':
        '---\r\ntitle: ""\r\ntags:\r\n  - idea\r\n  - gossip\r\nauthor:\r\n  nmae: A\r\ndate: 2026-02-30\r\nmood: x\r\n---\r\n',
      'notes/none.md': 'no front matter\n',
      'notes/list.md': '---\n- a\n---\n',
      'other.md': '---\nmood: x\n---\n',
    };
    const found = checkMarkdown(tree(notes), [{ glob: 'notes/**', schema }]);
    expect(said(found).sort()).toEqual([
      'notes/bad.md:2: front matter: title is wrong: too small: expected string to have >=1 characters',
      'notes/bad.md:5: front matter: tags.1 is wrong: invalid option: expected one of "idea"|"log"',
      'notes/bad.md:7: front matter: author has a key that nobody knows: nmae',
      'notes/bad.md:8: front matter: date is wrong: invalid ISO date',
      'notes/bad.md:9: front matter: has a key that nobody knows: mood',
      'notes/list.md:1: front matter is no list of keys',
      'notes/none.md:1: front matter: date is missing',
      'notes/none.md:1: front matter: title is missing',
    ]);
    expect(found.looked).toBe('5 notes, 0 links, front matter of 4 in notes/**');
  });

  it('reads headings as Markdown does, with code, emphasis, links and underscores', () => {
    const heads =
      '## `gate_run` and _why_\n## snake_case **bold**\n## See [the page](x.md) <b>now</b>\n## `Twice`\n## Twice\n## 🎉 Party\nTwo\n---\n> ## Quoted\n';
    const right =
      '[a](#gate_run-and-why) [b](#snake_case-bold) [c](#see-the-page-now) [d](#twice-1) [e](#-party) [f](#two) [g](#quoted)';
    const found = checkMarkdown(
      tree({
        'a.md': `${heads}${right}\n[w](#gate_run-and-_why_)\n`,
        'b.md': '[[a#gate_run and why]] [[a#`Twice`]] [[a#nothing]]\n',
        'x.md': '',
      }),
    );
    expect(said(found)).toEqual([
      'a.md:11: link #gate_run-and-_why_: a.md has no heading or anchor gate_run-and-_why_',
      'b.md:1: wikilink [[a#nothing]]: a.md has no heading or anchor nothing',
    ]);
  });

  it('leaves alone indented code, code in lists and quotes, and what a backslash takes its meaning from', () => {
    const found = checkMarkdown(
      tree({
        'a.md':
          'Text\n\n    [a](no.md) [[no]]\n\n- one\n\n      [b](no.md)\n\n  - two\n\n    ```\n    [c](no.md)\n    ```\n\n> ```\n> [d](no.md)\n> ```\n\n\\[e](no.md) and ``a ` [f](no.md)``\n\n- three\n    [g](no.md)\n',
      }),
    );
    expect(said(found)).toEqual(['a.md:22: link no.md leads nowhere']);
  });

  it('looks for names in the vault of a note, and in no other', () => {
    const found = checkMarkdown(
      tree({
        'one/.obsidian/app.json': '{}',
        'one/deep/a.md': '[[b]] [[c]] [x](b.md) [y](/top.md) [[sub/d]] [z](c.md)\n',
        'one/other/b.md': '',
        'one/top.md': '',
        'one/x/sub/d.md': '',
        'two/.obsidian/app.json': '{}',
        'two/a.md': '[[b]] [[top]]\n',
        'two/x/b.md': '',
        'two/x/c.md': '',
        'docs/a.md': '[[c]] [x](b.md)\n',
      }),
    );
    expect(said(found)).toEqual([
      'docs/a.md:1: link b.md leads nowhere',
      'one/deep/a.md:1: wikilink [[c]] leads nowhere',
      'one/deep/a.md:1: link c.md leads nowhere',
      'two/a.md:1: wikilink [[top]] leads nowhere',
    ]);
  });

  it.each(['<!--', '**a', '[a](', '[', '![', '`', '> ', '- ', '<a ', '[[', '%%', '$$', '# ', '`'.repeat(3)])(
    'ends soon for a text of many %j, and finds the fault behind it',
    (sign) => {
      const found = checkMarkdown(tree({ 'a.md': `[x](no.md)\n${sign.repeat(40_000)}\n[y](no.md)\n` }));
      expect(said(found)[0]).toBe('a.md:1: link no.md leads nowhere');
    },
  );

  it('numbers headings of the same name as sites do', () => {
    const found = checkMarkdown(
      tree({ 'a.md': '# One & two!\n# Twice\n# Twice\n[a](#one--two) [b](#twice-1) [c](#twice-2)\n' }),
    );
    expect(said(found)).toEqual(['a.md:4: link #twice-2: a.md has no heading or anchor twice-2']);
  });
});

describe('data files', () => {
  it('finds JSON, YAML and TOML that do not parse, with the line', () => {
    const found = checkDataFiles(
      tree({
        'a.json': '{\n  "a": 1,\n}\n',
        'b.yaml': 'a: 1\nb: [1,\n',
        'c.toml': 'a = 1\nb = \n',
        'd.toml': '[t]\nx = 1\nx = 2\n',
        'e.toml': '[t\n',
      }),
    );
    expect(said(found).map((line) => line.replace(/: (is not \w+).*/, ' $1'))).toEqual([
      expect.stringMatching(/^a\.json:[34] is not JSON/),
      expect.stringMatching(/^b\.yaml:\d is not YAML/),
      'c.toml:2 is not TOML',
      'd.toml:3 is not TOML',
      'e.toml:1 is not TOML',
    ]);
  });

  it.each([
    ['a.toml', 'a = 1979-13-45\n', 1],
    ['a.toml', 'x = 1\na = "\\q"\n', 2],
    ['a.toml', 'a = 1__0\n', 1],
    ['a.toml', 'a = { b = 1 }\na.c = 2\n', 2],
    ['a.toml', '[a]\nb = 1\n[a.b]\nc = 1\n', 3],
    ['a.toml', 'a = 1 b = 2\n', 1],
    ['a.json', '{\n  "a": x\n}\n\n\n', 2],
    ['a.json', '// c\n{}\n', 1],
    ['tsconfig.json', '{\n  // why\n  "a": 1\n  "b": 2\n}\n', 4],
    ['tsconfig.json', '{ "a": [1,, 2] }', 1],
    ['tsconfig.json', '{ /* open }', 1],
    ['a.yaml', 'a: 1\nb: 2\na: 3\n', 3],
  ])('finds what is wrong in %s: %j, in line %i', (path, text, line) => {
    expect(checkDataFiles(tree({ [path]: text })).problems).toMatchObject([{ path, line }]);
  });

  it.each([
    ['a.toml', 'a = 9007199254740993\nb = [1979-05-27T07:32:00Z, 07:32:00]\nc.d = 1\nc.e = 2\n'],
    ['a.toml', '\uFEFFa = 1\r\nb = 2\r\n'],
    ['tsconfig.json', '// nothing else\n'],
    ['tsconfig.json', '\uFEFF{ "a": "/* no comment */", }'],
  ])('takes %s: %j', (path, text) => {
    expect(checkDataFiles(tree({ [path]: text })).problems).toEqual([]);
  });

  it.each(['a.json', 'tsconfig.json', 'a.toml', 'a.yaml'])(
    'ends for a text that nests deeply: %s',
    (path) => {
      const text =
        (path.endsWith('l') ? 'a: '.replace(':', path.endsWith('toml') ? ' =' : ':') : '') +
        '['.repeat(100_000);
      expect(checkDataFiles(tree({ [path]: text })).problems).toMatchObject([{ path, line: 1 }]);
    },
  );

  it('takes what tools take: comments where they are usual, several documents, every form of TOML', () => {
    const found = checkDataFiles(
      tree({
        'tsconfig.json': '{\n  // why\n  "a": "// no comment", /* b */\n  "c": [1, 2,],\n}\n',
        'm.yml': 'a: 1\n---\nb: !Ref x\n',
        'Cargo.toml':
          '# c\ntitle = "a \\"b\\"" # d\n[package]\nname = \'x\'\n"quoted key".sub = 1_000\nwhen = 2020-01-01T10:00:00Z\nf = -1.5e3\nlist = [\n  1, # one\n  { a = 1, b = "x" },\n]\ntext = """\nmany\nlines"""\n[[bin]]\nname = "a"\n[[bin]]\nname = "b"\n[a.b]\nx = true\n',
      }),
    );
    expect(said(found)).toEqual([]);
    expect(found.count).toBe(3);
  });
});

it('finds merge markers and no heading', () => {
  const found = checkMergeMarkers(
    tree({ 'a.ts': 'x\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n', 'b.md': 'Title\n=======\n' }),
  );
  expect(said(found)).toEqual(['a.ts:2: merge marker: <<<<<<< HEAD', 'a.ts:6: merge marker: >>>>>>> other']);
});

describe('secrets', () => {
  const token = `gh${'p_'}${'aB3'.repeat(12)}`;
  it('finds credentials in what was added, without repeating them', () => {
    const added = new Map([
      [
        'a.ts',
        [
          { line: 7, text: `const t = '${token}';` },
          { line: 8, text: 'const u = process.env.TOKEN;' },
        ],
      ],
    ]);
    const found = checkSecrets(tree({ 'old.ts': token }, added));
    expect(said(found)).toEqual(['a.ts:7: holds a GitHub token']);
    expect(JSON.stringify(found)).not.toContain(token);
  });

  it('looks at everything where no base is known, and not at placeholders', () => {
    const files = {
      'a.env': `X=${token}\n`,
      'b.md': 'https://user:password@host https://u:<PASS>@h postgres://a:hunter22xyz@db',
    };
    expect(said(checkSecrets(tree(files)))).toEqual([
      'a.env:1: holds a GitHub token',
      'b.md:1: holds a password in an address',
    ]);
  });

  it('knows every kind that is taken out of output', () => {
    fc.assert(
      fc.property(catalogueTokens(), ({ lead, secret, follows }) => {
        fc.pre(!/authorization/i.test(lead)); // a header's value may be anything
        const found = checkSecrets(tree({ 'a.txt': `key = "${lead}${secret}${follows}"` }));
        expect(said(found)).toHaveLength(1);
        expect(said(found)[0]).toMatch(/^a\.txt:1: holds an? /);
      }),
    );
  });
});
