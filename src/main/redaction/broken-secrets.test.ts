import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextRedactor } from './redaction.ts';
import { Redactor } from './redactor.ts';
import { catalogueTokens } from './testing/secret-samples.ts';

const KNOWN = 'Wq8-tz_Rk4mN0vBx7LpC2sHd9GfJ5aY1eUoT6iQ3';
const OTHER = 'plain/known+Key=with:marks@9417-and-a-long-tail-of-words';

/** How tools go on in the next line: what ends a line, and what begins the next. */
const STYLES = [
  ['', ''],
  ['\\', ''],
  ['\\', '    '],
  [' \\', '  '],
  ['', '      '],
  ['', '\t'],
  ['"', '"'],
  ['"', '  "'],
  ['" +', '    "'],
  ["' +", "  '"],
  ['",', '  "'],
  ['" \\', '    "'],
  ['" .', '    "'],
  ["'", "'"],
  ['', '> '],
  ['', '# '],
  ['', '// '],
  ['', ' * '],
  ['   │', '│  '],
  ['\\"', '  \\"'],
] as const;
const LINE_ENDS = ['\n', '\r\n', '\\n', '\\r\\n'];
const COLOURS = ['\u001b[0m', '\u001b[1;31m', '\u001b[K'];

/** The text as a tool prints it that has so many columns. */
function wrapped(
  text: string,
  columns: number,
  [end, begin]: readonly [string, string],
  lineEnd: string,
): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    let rest = line;
    do {
      const room = columns - end.length - (lines.length > 0 ? begin.length : 0);
      lines.push(rest.slice(0, room));
      rest = rest.slice(room);
    } while (rest !== '');
  }
  return lines.join(end + lineEnd + begin);
}

function inPieces(bytes: Buffer, cuts: readonly number[], late: boolean, redactor: Redactor): string {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const out: Buffer[] = [];
  for (const [index, to] of places.slice(1).entries()) {
    out.push(...redactor.push(bytes.subarray(places[index], to)).map((part) => Buffer.from(part)));
    if (late) out.push(redactor.late());
  }
  return Buffer.concat([...out, redactor.end()]).toString('latin1');
}

/** What a reader could put together again. */
const joined = (text: string): string =>
  text.replace(/\u001b\[[0-9;]*[A-Za-z]|\\[nrt"]|[\s\\"'│>#*/+.,]/g, '');

function leak(text: string, secret: string): string | undefined {
  const [seen, hidden] = [joined(text), joined(secret)];
  for (let at = 0; at + 10 <= hidden.length; at += 1) {
    if (seen.includes(hidden.slice(at, at + 10))) return hidden.slice(at, at + 10);
  }
  return undefined;
}

const layout = fc.record({
  columns: fc.integer({ min: 20, max: 100 }),
  style: fc.constantFrom(...STYLES),
  lineEnd: fc.constantFrom(...LINE_ENDS),
  before: fc.constantFrom(
    '',
    'key: ',
    'export A_LONG_NAME=',
    'x\n',
    '{"a":"',
    'one two three four five six: ',
  ),
  after: fc.constantFrom('', '\n', ' ok\n', '"}', '\nDone in 3 s\n', '; next'),
  cuts: fc.array(fc.nat(1000), { maxLength: 6 }),
  colours: fc.array(fc.tuple(fc.nat(400), fc.constantFrom(...COLOURS)), { maxLength: 3 }),
});

describe('a secret that a tool broke into lines', () => {
  const show = (
    secret: string,
    lead: string,
    shape: typeof layout extends fc.Arbitrary<infer L> ? L : never,
  ) => {
    const lines = wrapped(shape.before + lead + secret, shape.columns, shape.style, shape.lineEnd);
    let text = lines + shape.after;
    for (const [place, colour] of shape.colours) {
      const at = place % (text.length + 1);
      // Not within an escape or another colour: that would be no such thing.
      if (/[\\\u001b][^A-Za-z]*$/.test(text.slice(0, at))) continue;
      text = text.slice(0, at) + colour + text.slice(at);
    }
    return Buffer.from(text, 'utf8');
  };

  it.each([false, true])(
    'is hidden whatever its kind, the columns, the break and the pieces (pauses: %s)',
    (late) => {
      fc.assert(
        fc.property(catalogueTokens(), layout, ({ lead, secret, follows }, shape) => {
          const bytes = show(secret + follows, lead, shape);
          expect(leak(inPieces(bytes, shape.cuts, late, new Redactor([])), secret)).toBeUndefined();
          expect(leak(createTextRedactor([]).text(bytes.toString('utf8')), secret)).toBeUndefined();
        }),
        { numRuns: 1500 },
      );
    },
  );

  it.each([false, true])('is hidden wherever the output is cut (pauses: %s)', (late) => {
    const secret = '080866962358-080866962358-G0qqkCZsGnFGF6g8lmeBoPn5';
    for (const style of STYLES) {
      for (const lineEnd of LINE_ENDS) {
        const bytes = Buffer.from(
          `${wrapped(`export A_LONG_NAME=xoxb-${secret}`, 20, style, lineEnd)}; next`,
        );
        for (let cut = 1; cut < bytes.length; cut += 1) {
          expect(leak(inPieces(bytes, [cut], late, new Redactor([])), secret)).toBeUndefined();
        }
      }
    }
  });

  it.each([KNOWN, OTHER])('is hidden where it is known: %s', (known) => {
    fc.assert(
      fc.property(layout, fc.boolean(), (shape, late) => {
        const bytes = show(known, '', shape);
        expect(leak(inPieces(bytes, shape.cuts, late, new Redactor([known])), known)).toBeUndefined();
      }),
      { numRuns: 1500 },
    );
  });

  it('is hidden whole where a known one begins it, ends it or stands in it', () => {
    fc.assert(
      fc.property(
        catalogueTokens(),
        layout,
        fc.nat(),
        fc.integer({ min: 8, max: 30 }),
        ({ lead, secret, follows }, shape, place, length) => {
          const whole = lead + secret;
          const at = place % Math.max(1, whole.length - length);
          const known = [
            whole.slice(0, lead.length + length),
            whole.slice(at, at + length),
            `${whole.slice(-length)}Xy9`,
          ];
          const bytes = show(secret + follows, lead, shape);
          expect(leak(inPieces(bytes, shape.cuts, false, new Redactor(known)), secret)).toBeUndefined();
        },
      ),
      { numRuns: 800 },
    );
  });

  it('gives the same text however the output is chunked', () => {
    fc.assert(
      fc.property(catalogueTokens(), layout, ({ lead, secret, follows }, shape) => {
        const bytes = show(secret + follows, lead, shape);
        const whole = inPieces(bytes, [], false, new Redactor([KNOWN]));
        expect(inPieces(bytes, shape.cuts, false, new Redactor([KNOWN]))).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});

describe('ordinary text', () => {
  const token = `ghp_${'Ab1'.repeat(12)}`;
  it.each([
    [`token ${token}\ndone in 3 s\n`, 'token ghp_[redacted]\ndone in 3 s\n'],
    [`GH=${token}\nNPM_TOKEN=none\n`, 'GH=ghp_[redacted]\nNPM_TOKEN=none\n'],
    [`${token}\nsrc/main/terminals/redactor.ts\n`, 'ghp_[redacted]\nsrc/main/terminals/redactor.ts\n'],
    [`${token}\n7ad165e Say plainly\n`, 'ghp_[redacted]\n7ad165e Say plainly\n'],
    [
      `API_KEY=abcdef123456\nDATABASE_URL=postgres://db/x\n`,
      'API_KEY=[redacted]\nDATABASE_URL=postgres://db/x\n',
    ],
    ['CLIENT_SECRET=\nAWS_REGION=eu-central-1\n', undefined],
    ['open http://localhost:5173\nmaintainer@example.org wrote\n', undefined],
    ['see https://example.org\nalice@example.org\n', undefined],
    ['default:\n    // fall through to user:name@host\n', undefined],
    ['Authorization: Bearer\n<token>\n', undefined],
    ['the header\n-----BEGIN RSA PRIVATE KEY-----\nis what a key begins with\n', undefined],
    ['if (line === "-----BEGIN PRIVATE KEY-----") {\n  found += 1;\n}\n', undefined],
    ['"-----BEGIN RSA PRIVATE KEY-----",\n"-----BEGIN EC PRIVATE KEY-----",\n', undefined],
  ])('behind a secret, or where none is, stays: %j', (text, expected = text) => {
    const bytes = Buffer.from(text);
    expect(inPieces(bytes, [], false, new Redactor([KNOWN]))).toBe(expected);
    expect(inPieces(bytes, [...bytes.keys()], false, new Redactor([KNOWN]))).toBe(expected);
  });

  it.each([
    ['sentences', (row: number) => `this is line ${row} of what somebody says about it`],
    ['words', (row: number) => ['alpha', 'beta', 'gamma', 'delta', 'epsilon'][row % 5] as string],
    ['names', (row: number) => `item${row * row}${'x'.repeat(row % 7)}`],
    ['a log', (row: number) => `${(row * 7919).toString(16).padStart(7, '0')} Change file-${row}.ts`],
  ])('behind the first line of a key stays: %s', (_, line) => {
    const text = Array.from({ length: 1000 }, (_, row) => line(row));
    const shown = inPieces(
      Buffer.from(['-----BEGIN RSA PRIVATE KEY-----', ...text].join('\n')),
      [],
      false,
      new Redactor([]),
    );
    expect(text.filter((row) => !shown.includes(row)).length).toBeLessThanOrEqual(12);
  });
});
