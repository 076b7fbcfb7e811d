import { describe, expect, it } from 'vitest';
import { createTextRedactor } from '../redaction/redaction.ts';
import { LastLine } from './last-line.ts';

const KNOWN = 'correct horse battery staple';
const TOKEN = `gh${'p_'}${'aB3'.repeat(12)}`;
const { text: redact } = createTextRedactor([KNOWN]);
const last = (...chunks: string[]): string | undefined => {
  const line = new LastLine();
  for (const chunk of chunks) line.push(Buffer.from(chunk));
  return line.text(redact);
};

describe('the last line of a program', () => {
  it('is the last one that says something, without colours', () => {
    expect(last('first\n', '\u001b[31mlast\u001b[0m one\n', '\n---\n')).toBe('last one');
    expect(last('\n  \n')).toBeUndefined();
  });

  it.each([KNOWN, TOKEN, `Authorization: Bearer ${'x9Y'.repeat(20)}`])(
    'shows no part of a secret, wherever the line is cut: %s',
    (secret) => {
      const body = secret.split(' ').at(-1) ?? '';
      for (let before = 230; before < 310; before += 7) {
        const shown = last(`${'. '.repeat(before / 2)}say ${secret}\n`) ?? '';
        for (let at = 6; at + 8 <= body.length; at += 1) expect(shown).not.toContain(body.slice(at, at + 8));
      }
    },
  );

  it('shows no end of a secret whose beginning did not fit', () => {
    const body = 'k9Q'.repeat(300);
    for (const length of [7_400, 7_800, 8_150]) {
      const shown = last(`Authorization: Bearer ${body}`, ` ${'x '.repeat(length / 2)}end`) ?? '';
      expect(shown).not.toContain(body.slice(-8));
      expect(shown).toMatch(/^x x/);
    }
  });
});
