import { describe, expect, it } from 'vitest';
import { pastedText, shownLines } from './pasted-text.ts';

describe('pastedText', () => {
  it('leaves nothing that could end a bracketed paste or be a key', () => {
    const tricks = [
      'ls\u001b[201~\rid\r',
      // The 8-bit form of the same.
      'ls\u009b201~\rid\r',
      // One inside the other: what is left is no end either.
      'ls\u001b\u001b[201~[201~\rid\r',
      '\u0003id\r',
      '\u0004\u0015\u0016\u001a\u007f\b',
      '\u001b]52;c;aWQ=\u0007\u001bP+q\u001b\\',
    ];
    for (const trick of tricks) {
      const { text, removed } = pastedText(trick);
      expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
      expect(removed).toBeGreaterThan(0);
      expect(text.length + removed).toBe(trick.length);
    }
    expect(pastedText('ls\u001b[201~\rid\r')).toEqual({ text: 'ls[201~\rid\r', removed: 1, endsLine: true });
  });

  it('keeps text as it is: tabs, line ends, other scripts and what joins emoji', () => {
    const text = 'a\tb\r\nc\n\u00e9 \u6f22 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u05d0';
    expect(pastedText(text)).toEqual({ text, removed: 0, endsLine: true });
    expect(pastedText('one line').endsLine).toBe(false);
    expect(pastedText('').text).toBe('');
  });

  it('knows that one line with its end is run too', () => {
    for (const end of ['\n', '\r', '\r\n']) expect(pastedText(`id${end}`).endsLine).toBe(true);
  });
});

describe('shownLines', () => {
  it('shows each line once, however it ends', () => {
    expect(shownLines('a\r\nb\rc\nd\n')).toEqual(['a', 'b', 'c', 'd']);
    expect(shownLines('a\n\nb')).toEqual(['a', '', 'b']);
  });

  it('shows what would hide or turn the text around', () => {
    expect(shownLines('a\u202eb\u200b\u2066\u{e0041}')).toEqual(['a<U+202E>b<U+200B><U+2066><U+E0041>']);
  });
});
