import { describe, expect, it } from 'vitest';
import { trackedPaths } from '../scheduling/tracked-paths.ts';
import { claimOf } from './claim-of.ts';
import { MAX_TICKET_BYTES, parseTickets, type TicketFile } from './parse-tickets.ts';

const root = '/srv/shop';
const parse = (files: readonly TicketFile[], known: readonly string[] = []) =>
  parseTickets(files, { root, known: new Set(known) });
const one = (bytes: TicketFile['bytes'], name = 'one.md') => parse([{ name, bytes }]);
const problemOf = (bytes: TicketFile['bytes']) =>
  one(bytes).problems.map(({ line, message }) => `${line}: ${message}`);

describe('tickets', () => {
  it('are read with all their keys', () => {
    const text = `---
id: login-form
title: Restyle the login form
paths: [src/ui, docs/login.md]
dependsOn:
  - base
related: other
priority: interactive
agent: "command: codex exec {prompt}"
timeout: 1.5h
---

Make it calm.
`;
    expect(parse([{ name: 'a.md', bytes: text }], ['base', 'other'])).toEqual({
      problems: [],
      tickets: [
        {
          id: 'login-form',
          title: 'Restyle the login form',
          text: 'Make it calm.',
          paths: ['src/ui', 'docs/login.md'],
          dependsOn: ['base'],
          related: ['other'],
          priority: 'interactive',
          agent: 'command: codex exec {prompt}',
          agentLine: 9,
          timeoutMs: 5_400_000,
          file: 'a.md',
          line: 1,
          textLine: 13,
        },
      ],
    });
  });

  it('are read from TOML between lines of three plus signs, several in a file', () => {
    const text = `+++
id = "login-form"   # a comment
title = 'Restyle the login form'
paths = [
  "src/ui",
  "docs/login.md",
]
dependsOn = "base"
timeout = "1.5h"
+++

Make it calm.

+++

That was a rule.

+++
id = "second"
+++
More.
`;
    expect(parse([{ name: 'a.md', bytes: text }], ['base'])).toMatchObject({
      problems: [],
      tickets: [
        {
          id: 'login-form',
          title: 'Restyle the login form',
          paths: ['src/ui', 'docs/login.md'],
          dependsOn: ['base'],
          timeoutMs: 5_400_000,
          text: expect.stringMatching(/^Make it calm\..*That was a rule\.$/s),
        },
        { id: 'second', text: 'More.' },
      ],
    });
  });

  it('may use aliases, which are never unfolded', () => {
    const text = `---
title: &name Restyle it
id: *name
paths: &files [&one src/ui, docs]
related: [*name]
dependsOn: *files
---
x`;
    expect(parse([{ name: 'a.md', bytes: text }], ['Restyle it', 'src/ui', 'docs']).tickets[0]).toMatchObject(
      {
        title: 'Restyle it',
        paths: ['src/ui', 'docs'],
        dependsOn: ['src/ui', 'docs'],
        related: ['Restyle it'],
      },
    );
    const laughs = Array.from({ length: 40 }, (_, i) => `  - &a${i + 1} [${`*a${i}, `.repeat(40)}x]`);
    const bomb = `---\nid: b\npaths:\n  - &a0 lol\n${laughs.join('\n')}\n---\nx`;
    expect(problemOf(bomb)).toEqual(['3: paths must be a list of texts; one of its items is none']);
    const many = `---\nid: b\nrelated: &l [a]\npaths: [&p src, ${'*p, '.repeat(20_000)}]\n---\nx`;
    expect(one(many).tickets[0]?.paths).toHaveLength(20_001);
  });

  it('take id and title from file name and heading where they name none', () => {
    const { tickets, problems } = one('Intro\n```\n# not this\n```\n## Größe ändern ##\n', 'Größe ändern.md');
    expect(problems).toEqual([]);
    expect(tickets[0]).toMatchObject({
      id: 'Gro-e-andern',
      title: 'Größe ändern',
    });
    expect(one('Do it', '007.md').tickets[0]).toMatchObject({
      id: '007',
      title: 'Do it',
      priority: 'batch',
    });
  });

  it.each([
    ['the first line that says something', '\n---\n\n> Make it faster\nand better', 'Make it faster'],
    ['without the marks of a list', '- [ ] Add a test\n- [ ] Add another', 'Add a test'],
    ['not code', '```sh\nrm -rf /\n```\n\nRun that', 'Run that'],
    [
      'cut between words, so that no path is cut in two',
      'Rename the helper that reads numbers, and its callers, in packages/core/src/read-numbers.ts',
      'Rename the helper that reads numbers, and its callers, in…',
    ],
    ['the id where nothing fits', `${'a/'.repeat(60)}file.ts`, 'B'],
    ['the id where there is only code', '```\nwrite a.ts\n```', 'B'],
  ])('without title and heading are called after their text: %s', (_, text, title) => {
    expect(one(`---\nid: B\n---\n${text}`).tickets[0]).toMatchObject({ id: 'B', title });
  });

  it('may be several in a file; rules and fenced code in a text begin none', () => {
    const file = [
      ...['---', 'id: a', '---', 'First', '', '---', '', 'still first', '---', 'note: no ticket', '---', ''],
      ...[
        '```',
        '---',
        'id: x',
        '---',
        '```',
        '',
        '---',
        'title: Second one',
        'dependsOn: [a]',
        '---',
        'Text',
      ],
    ].join('\r\n');
    const { tickets, problems } = one(`\ufeff${file}`);
    expect(problems).toEqual([]);
    expect(tickets.map(({ id, line, textLine }) => [id, line, textLine])).toEqual([
      ['a', 1, 4],
      ['Second-one', 19, 23],
    ]);
    expect(tickets[0]?.text).toContain('still first\n---\nnote: no ticket');
    expect(tickets[0]?.text).toContain('id: x');
  });

  it('claim what they declare, else what title and text name, else everything', () => {
    const context = { root, tracked: trackedPaths(['src/ui/button.tsx', 'src/api/users.ts']) };
    const claim = (bytes: string) => claimOf(one(bytes).tickets[0] as never, context);
    expect(claim('---\npaths: [src/api]\n---\nSee `src/ui/button.tsx`')).toMatchObject({
      paths: ['src/api'],
    });
    expect(claim('---\ntitle: Fix src/ui/button.tsx\n---\nIt is red.')).toEqual({
      kind: 'paths',
      paths: ['src/ui/button.tsx'],
      from: 'text',
    });
    expect(claim('---\npaths: []\n---\nEdit `src/ui/button.tsx`')).toMatchObject({ kind: 'everything' });
    expect(claim('Make it nice')).toEqual({ kind: 'everything', why: 'it names no paths' });
  });
});

describe('problems of tickets', () => {
  it.each([
    [
      'an unknown key',
      '---\nid: a\ndepends_on: [b]\n---\nx',
      '3: unknown key "depends_on": did you mean dependsOn?',
    ],
    ['another word for a key', '---\nfiles: [b]\n---\nx', '2: unknown key "files": did you mean paths?'],
    ['a key far from any', '---\nzzzzz: 1\n---\nx', '2: unknown key "zzzzz": known are id, title, paths'],
    [
      'a wrong priority',
      '---\npriority: high\n---\nx',
      '2: priority must be interactive, batch, background, but is "high"',
    ],
    ['a timeout without unit', '---\ntimeout: 10\n---\nx', '2: timeout must be a duration with its unit'],
    [
      'an alias without its anchor',
      '---\nid: a\npaths: *files\n---\nx',
      '3: no anchor &files stands before *files',
    ],
    ['an alias that means itself', '---\nid: a\npaths: &p [*p]\n---\nx', '3: paths must be a list of texts'],
    ['a merge key', '---\nid: a\n<<: { title: x }\n---\nx', '3: merge keys (<<) are not read'],
    [
      'TOML without an end',
      '+++\nid = "a"\nx',
      '1: the front matter has no end: close it with a line of three plus',
    ],
    ['TOML that is none', '+++\nid = "a"\ntitle: x\n+++\nx', '3: the front matter is no valid TOML: '],
    [
      'an unknown key of TOML',
      '+++\nid = "a"\n\nfiles = []\n+++\nx',
      '4: unknown key "files": did you mean paths?',
    ],
    ['a table of TOML', '+++\nid = "a"\n[paths]\na = 1\n+++\nx', '3: paths must be a list'],
    ['a list that is none', '---\npaths: {a: b}\n---\nx', '2: paths must be a list, such as ["src/ui"'],
    ['paths in one text', '---\npaths: a, b\n---\nx', '2: paths must be a list'],
    [
      'an item that is no text',
      '---\ndependsOn: [a, {b: c}]\n---\nx',
      '2: dependsOn must be a list of texts',
    ],
    ['a key without value', '---\ntitle:\n---\nx', '2: title must be text, but is empty'],
    [
      'a path out of the repository',
      '---\npaths:\n  - src\n  - ../x\n---\nx',
      '4: paths: "../x" leaves the repository',
    ],
    [
      'a path in the home directory',
      '---\npaths: [~/x]\n---\nx',
      '2: paths: "~/x" starts in a home directory',
    ],
    ['invalid YAML', '---\nid: a\ntitle: [\n---\nx', '3: the front matter is no valid YAML'],
    ['a key twice', '---\nid: a\nid: b\n---\nx', '3: the front matter is no valid YAML'],
    ['YAML that is no mapping', '---\n- a\n---\nx', '2: the front matter must be keys with their values'],
    ['a front matter without end', '---\nid: a\nx', '1: the front matter has no end'],
    ['no text', '---\nid: a\n---\n\n', '1: the ticket has no text'],
    ['an empty file', ' \n', '1: the file is empty'],
    ['text before the first of several', 'Hello\n\n---\nid: a\n---\nx', '1: text before the first ticket'],
    ['an id with a dash in front', '---\nid: -a\n---\nx', '2: id "-a" must be'],
    ['an id with a slash', '---\nid: a/b\n---\nx', '2: id "a/b" must be'],
    ['an id that is too long', `---\nid: ${'a'.repeat(65)}\n---\nx`, '2: id "aaa'],
    [
      'an id that git refuses in a branch',
      '---\nid: a..b\n---\nx',
      '2: id "a..b" can\'t be part of a branch',
    ],
    [
      'a dependency on itself',
      '---\nid: a\ndependsOn: [a]\n---\nx',
      '3: dependsOn of "a" names the ticket itself',
    ],
    [
      'an unknown dependency',
      '---\nid: a\nrelated: [zzz]\n---\nx',
      '3: related of "a" names an unknown ticket "zzz"',
    ],
    ['NUL bytes', 'a\nb\0', '2: the file has NUL bytes'],
    ['text decoded badly before', 'a\n\ufffd', '2: the file has a character that could not be read'],
    [
      'Latin-1',
      new Uint8Array([0x61, 0x0a, 0x62, 0xe9, 0x0a]),
      '2: the file is not UTF-8 (Latin-1?): save it as UTF-8',
    ],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0]), '1: the file is UTF-16: save it as UTF-8'],
    [
      'a ticket that is too large',
      'x'.repeat(MAX_TICKET_BYTES + 1),
      '1: the ticket has 1.0 MB; at most 1.0 MB are taken',
    ],
  ])('name the line of %s', (_, bytes, expected) => {
    const problems = problemOf(bytes);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(expected), problems[0]).toBe(true);
  });

  it('name both places of an id that is taken, whatever its case', () => {
    const files = [
      { name: 'a.md', bytes: '---\ntitle: x\nid: Same\n---\nx' },
      { name: 'b.md', bytes: '---\nid: same\n---\nx' },
    ];
    expect(parse(files).problems).toEqual([
      { file: 'b.md', line: 2, message: 'id "same" is taken already by a.md:3' },
    ]);
  });

  it('print a circle of dependencies once, and suggest the ticket that was meant', () => {
    const ticket = (id: string, on: string) => ({
      name: `${id}.md`,
      bytes: `---\nid: ${id}\ndependsOn: [${on}]\n---\nx`,
    });
    const circle = [ticket('first', 'second'), ticket('second', 'third'), ticket('third', 'first')];
    expect(parse(circle).problems).toEqual([
      { file: 'third.md', line: 3, message: 'circular dependency: first → second → third → first' },
    ]);
    expect(parse([ticket('a', 'login-from')], ['login-form']).problems[0]?.message).toContain(
      'did you mean "login-form"?',
    );
  });

  it('come all at once, in the order of files and lines', () => {
    const bytes = '---\npriority: x\ntimeout: y\n---\n';
    expect(one(bytes).problems.map(({ line }) => line)).toEqual([1, 2, 3]);
  });
});
