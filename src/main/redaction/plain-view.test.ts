import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainBytesOf, plainView } from './plain-view.ts';

const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'bc', '\xe9', '\r\n') },
  { weight: 4, arbitrary: fc.constantFrom('\x1b[0m', '\x1b[1;32m', '\x1b[?25l', '\x1b[ q', '\x1b[2A') },
  { weight: 2, arbitrary: fc.constantFrom('\x1b', '\x1b[', '\x1b[3', '\x1b[3 ', '[', '3', 'm', '\x07') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`\x1b[${'1;'.repeat(30)}`, `\x1b[${'1;'.repeat(31)}`, '\x1b[     '),
  },
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

describe('plainBytesOf', () => {
  it('says of bytes what plainView says of a string', () => {
    fc.assert(
      fc.property(text, (original) => {
        const view = plainView(original);
        const bytes = plainBytesOf(Buffer.from(original, 'latin1'));
        const plain = bytes.plain.toString('latin1');
        expect(plain).toBe(view.plain);
        for (let index = 0; index <= plain.length; index += 1) {
          expect(bytes.original(index)).toBe(view.original(index));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('takes more than is kept room for', () => {
    const line = `\x1b[31m${'x'.repeat(95)}\x1b[0m`;
    expect(plainBytesOf(Buffer.from(line.repeat(3000))).plain.toString()).toBe('x'.repeat(95 * 3000));
  });
});
