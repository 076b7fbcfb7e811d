export type Decoded = { text: string } | { line: number; message: string };

const NEWLINE = 0x0a;

/** Reads a ticket file's bytes as UTF-8, with or without a byte order mark; anything else is refused with its line. */
export function decodeText(bytes: Uint8Array | string): Decoded {
  if (typeof bytes === 'string') return checkText(bytes.replace(/^\ufeff/, ''));
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { line: 1, message: 'the file is UTF-16: save it as UTF-8' };
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return checkText(decoder.decode(bytes));
  } catch {
    return { line: badLine(bytes, decoder), message: 'the file is not UTF-8 (Latin-1?): save it as UTF-8' };
  }
}

function checkText(text: string): Decoded {
  const lineAt = (at: number): number => text.slice(0, at).split('\n').length;
  const nul = text.indexOf('\0');
  if (nul >= 0) return { line: lineAt(nul), message: 'the file has NUL bytes: it is no UTF-8 text' };
  const lost = text.indexOf('\ufffd');
  if (lost >= 0) {
    return {
      line: lineAt(lost),
      message: 'the file has a character that could not be read: save it as UTF-8',
    };
  }
  return { text };
}

/** No sequence of UTF-8 spans a line's end, so lines can be tried one by one. */
function badLine(bytes: Uint8Array, decoder: { decode(bytes: Uint8Array): string }): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    const stop = end < 0 ? bytes.length : end;
    try {
      decoder.decode(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop + 1;
  }
  return line;
}
