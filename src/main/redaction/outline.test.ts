import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinStyles, outlineOf } from './outline.ts';

const outline = (text: string, convertEol = false) => outlineOf(new TextEncoder().encode(text), convertEol);

describe('outlineOf', () => {
  it.each([
    ['text, tabs and line ends', 'a\tb\r\nc\rd\n'],
    ['characters of any script', 'é – 日本 😀'],
    ['colours', '\x1b[1;32mok\x1b[0m \x1b[38:5:9mno\x1b[m'],
  ])('takes %s for plain', (_, text) => {
    expect(outline(text).plain).toBe(true);
  });

  it.each([
    ['the cursor moved', '\x1b[2A'],
    ['a screen cleared', '\x1b[2J'],
    ['another screen', '\x1b[?1049h'],
    ['a title', '\x1b]0;title\x07'],
    ['another character set', '\x0e'],
    ['a bell', '\x07'],
    ['a control in UTF-8', '\u009b1m'],
    ['a sequence that is cut off', 'text \x1b[3'],
    ['a private sequence that ends alike', '\x1b[>4;1m'],
  ])('takes %s for more than plain', (_, text) => {
    expect(outline(text).plain).toBe(false);
  });

  it('counts how often the cursor goes to the beginning of a new line', () => {
    expect(outline('a\r\nb\nc\r\n').lines).toBe(2);
    expect(outline('a\r\nb\nc\r\n', true).lines).toBe(3);
  });

  it('keeps of colours what the text behind them has', () => {
    expect([...outline('\x1b[1m\x1b[31ma\x1b[0m\x1b[32mb\x1b[4mc\x1b[32md').style]).toEqual([
      '\x1b[0m',
      '\x1b[4m',
      '\x1b[32m',
    ]);
  });

  it('keeps the same colours of all at once as of one after the other', () => {
    const colour = fc.oneof(
      fc.constantFrom('\x1b[m', '\x1b[0m', '\x1b[00m', '\x1b[39m', '\x1b[;m', '\x1b[:m'),
      fc.integer({ min: 1, max: 48 }).map((code) => `\x1b[${code}m`),
      fc.constantFrom('1', '2').map((end) => `\x1b[38;2;255;255;20${end}m`),
    );
    fc.assert(
      fc.property(fc.array(colour, { maxLength: 12 }), (colours) => {
        const joined = colours.reduce(
          (style, each) => joinStyles(style, outline(each).style),
          new Set<string>(),
        );
        expect([...outline(colours.join('text')).style]).toEqual([...joined]);
      }),
    );
  });

  it('joins the colours of two stretches', () => {
    const joined = (first: string, second: string) => [
      ...joinStyles(outline(first).style, outline(second).style),
    ];
    expect(joined('\x1b[1m', '\x1b[31m')).toEqual(['\x1b[1m', '\x1b[31m']);
    expect(joined('\x1b[1m', '\x1b[m\x1b[31m')).toEqual(['\x1b[m', '\x1b[31m']);
  });

  it('says the same of the same bytes wherever in memory they stand, and of each one of them', () => {
    const byte = fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0x20, max: 0x7f }) },
      { weight: 2, arbitrary: fc.constantFrom(0x0a, 0x0d, 0x09) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    );
    const rest = '(?:[^\\0-\\x07\\x0b\\x0c\\x0e-\\x1f\\xc2]|\\x1b\\[[0-9:;]*m|\\xc2[\\xa0-\\xff])*';
    const plain = new RegExp(`^${rest}$`, 's');
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), (bytes) => {
        const text = String.fromCharCode(...bytes);
        const isPlain = plain.test(text);
        const lines = isPlain ? text.split('\r\n').length - 1 : 0;
        for (let offset = 0; offset < 4; offset += 1) {
          const whole = new Uint8Array(bytes.length + offset);
          whole.set(bytes, offset);
          const { plain: got, lines: counted } = outlineOf(whole.subarray(offset), false);
          expect({ plain: got, lines: counted }).toEqual({ plain: isPlain, lines });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
