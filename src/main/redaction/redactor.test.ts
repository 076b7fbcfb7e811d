import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';
import { secretSamples } from './testing/secret-samples.ts';

const samples = secretSamples();
const known = 'correct-horse-battery';

const push = (redactor: Redactor, text: string): Buffer =>
  Buffer.concat(redactor.push(Buffer.from(text, 'utf8')));

function redact(chunks: readonly (string | 'late')[], secrets: readonly string[] = [known]): string {
  const redactor = new Redactor(secrets);
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    out.push(chunk === 'late' ? redactor.late() : push(redactor, chunk));
  }
  out.push(redactor.end());
  return Buffer.concat(out).toString('utf8');
}

/** True where ten characters in a row of a secret are in the text, colours and line breaks taken out. */
function leaks(text: string, body: string): boolean {
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '').replace(/[\r\n]/g, '');
  for (let at = 0; at + 10 <= body.length; at += 1) if (plain.includes(body.slice(at, at + 10))) return true;
  return false;
}

describe('Redactor', () => {
  it.each(samples)(
    'hides $name in `$line` wherever it is cut in two, and nothing else',
    ({ line, body, expected }) => {
      expect(redact([line])).toBe(expected);
      for (let cut = 1; cut < line.length; cut += 1) {
        expect(redact([line.slice(0, cut), `${line.slice(cut)}\n`])).toBe(`${expected}\n`);
      }
      expect(leaks(redact([line]), body)).toBe(false);
    },
  );

  it.each(samples)(
    'hides $name sent byte by byte, also with long pauses at any place',
    ({ line, body, expected }) => {
      expect(redact([...line])).toBe(expected);
      for (let cut = 1; cut < line.length; cut += 1) {
        expect(leaks(redact([line.slice(0, cut), 'late', line.slice(cut)]), body)).toBe(false);
      }
    },
  );

  it.each(samples)('hides $name with a colour code at any place', ({ line, body }) => {
    for (let cut = 1; cut < line.length; cut += 1) {
      const coloured = `${line.slice(0, cut)}\u001b[1;31m${line.slice(cut)}\u001b[0m after`;
      const text = redact([coloured]);
      expect(leaks(text, body)).toBe(false);
      expect(text).toContain('\u001b[1;31m');
      expect(text.endsWith('\u001b[0m after')).toBe(true);
    }
  });

  it.each(samples)(
    'shows less than ten characters of $name when the program is killed inside it',
    ({ line, body }) => {
      for (let cut = 1; cut < line.length; cut += 1)
        expect(leaks(redact([line.slice(0, cut)]), body)).toBe(false);
    },
  );

  it.each([
    'ssh: git@github.com:acme/demo.git (must stay readable)',
    'http://localhost:5173/ and https://user@example.org/a:b@c',
    'npm_config_registry=https://registry.example.org sk-learn task-management-system-for-everyone-in-the-house',
    'Basic functionality, bearer of news; Authorization: none',
    'AKIAB is short, ghp_short too, eyJhbGciOi alone',
    '漢字 é 😀 \u001b[31mred\u001b[0m \u001b]0;title\u0007 done',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '+xox+sk-+eyJ+-----+://+AK',
  ])('leaves `%s` as it is', (text) => {
    expect(redact([text])).toBe(text);
    expect(redact([...text])).toBe(text);
    expect(redact([...text].flatMap((each) => [each, 'late']))).toBe(text);
  });

  it('shows a prompt at once, and the first letters of what might become a secret', () => {
    const redactor = new Redactor([known]);
    expect(push(redactor, 'Password: ').toString()).toBe('Password: ');
    expect(redactor.holding).toBe(false);
    expect(push(redactor, 'gh').toString()).toBe('gh');
    expect(push(redactor, 'co').toString()).toBe('co');
    expect(redactor.holding).toBe(false);
  });

  it('holds back the beginning of a known value, and lets it go when nothing follows', () => {
    const redactor = new Redactor([known]);
    expect(push(redactor, 'say corre').toString()).toBe('say cor');
    expect(redactor.holding).toBe(true);
    expect(redactor.late().toString()).toBe('re');
    expect(redactor.holding).toBe(false);
    expect(push(redactor, 'ct').toString()).toBe('');
    expect(push(redactor, 'ion\n').toString()).toBe('ction\n');
  });

  it('hides a known value in the encodings that tools print', () => {
    for (const form of [
      known,
      Buffer.from(known).toString('base64'),
      Buffer.from(`x:${known}`).toString('base64'),
    ]) {
      expect(leaks(redact([`<${form}>`]), form)).toBe(false);
    }
    expect(redact([`"p@ss\\"word/1"`], ['p@ss"word/1'])).toBe(`"p@s[redacted]"`);
  });

  it('gives the same text however the output is chunked', () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        ...samples.map((sample) => sample.line),
        known,
        'plain\r\n',
        '\u001b[1m',
        '\u001b[0m',
        '漢字😀',
      ),
      fc.constantFrom(
        'ghp_',
        'sk-',
        'npm_',
        '://',
        'a:b',
        '@',
        '-----',
        'eyJ',
        'cor',
        'x',
        ' ',
        'authorization: ',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (parts, cuts) => {
          const bytes = Buffer.from(parts.join(''), 'utf8');
          const whole = new Redactor([known]);
          const expected = Buffer.concat([...whole.push(bytes), whole.end()]).toString('latin1');
          const chunked = new Redactor([known]);
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const out = places
            .slice(1)
            .map((to, index) => Buffer.concat(chunked.push(bytes.subarray(places[index], to))));
          expect(Buffer.concat([...out, chunked.end()]).toString('latin1')).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});
