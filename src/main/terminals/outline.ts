/** What stretches of output do to a terminal beside showing text. */
export type Outline = {
  /** Text, line ends and colours only: once it has scrolled away nothing is left of it but `style`. */
  plain: boolean;
  /** How many times the cursor goes to the beginning of a new line. */
  lines: number;
  /** Colour sequences by their last place, those before the last reset left out. */
  style: ReadonlySet<string>;
};

const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const RESETS = new Set(['\x1b[m', '\x1b[0m']);
/** First byte of the C1 controls in UTF-8, and of other characters. */
const C2 = 0xc2;

/**
 * Looks over output without parsing it. `convertEol`: a line feed alone begins a new line. A sequence that is cut off at the end
 * is not plain.
 */
export function outlineOf(bytes: Uint8Array, convertEol: boolean): Outline {
  const style = new Set<string>();
  let lines = 0;
  const words = wordsOf(bytes);
  for (let at = 0; at < bytes.length; at += 1) {
    // Most of it is text: four bytes at a time, where none is a control or may begin one.
    if ((at & 3) === words.phase) {
      const from = (at - words.phase) >> 2;
      let word = from;
      while (word < words.list.length && isText(words.list[word] as number)) word += 1;
      at += (word - from) << 2;
      if (at >= bytes.length) break;
    }
    const byte = bytes[at] as number;
    if (byte >= 0x20 && byte !== C2) continue;
    if (byte === LF) {
      if (convertEol || bytes[at - 1] === CR) lines += 1;
    } else if (byte === ESC) {
      const end = styleEnd(bytes, at);
      if (end === undefined) return { plain: false, lines: 0, style };
      addStyle(style, String.fromCharCode(...bytes.subarray(at, end)));
      at = end - 1;
    } else if (byte === C2) {
      const next = bytes[at + 1] ?? 0x80;
      if (next < 0xa0) return { plain: false, lines: 0, style };
    } else if (byte !== CR && byte !== 0x09 && byte !== 0x08) return { plain: false, lines: 0, style };
  }
  return { plain: true, lines, style };
}

/** The bytes in aligned fours; the first stands at `phase`. */
function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): { list: Int32Array; phase: number } {
  const phase = -byteOffset & 3;
  const length = Math.max(0, byteLength - phase) >> 2;
  return { list: length > 0 ? new Int32Array(buffer, byteOffset + phase, length) : new Int32Array(0), phase };
}

/** No byte of the four is below 0x20, nor beyond ASCII. */
function isText(word: number): boolean {
  return ((word | ((word & 0x7f7f7f7f) - 0x20202020)) & 0x80808080) === 0;
}

/** The style after both. */
export function joinStyles(first: ReadonlySet<string>, second: ReadonlySet<string>): Set<string> {
  const joined = new Set(first);
  for (const sequence of second) addStyle(joined, sequence);
  return joined;
}

/** A colour sequence sets what it names whatever was set before: only its last place counts. */
function addStyle(style: Set<string>, sequence: string): void {
  if (RESETS.has(sequence)) style.clear();
  style.delete(sequence);
  style.add(sequence);
}

/** Where `ESC [ … m` ends; undefined where it is something else. */
function styleEnd(bytes: Uint8Array, from: number): number | undefined {
  if (bytes[from + 1] !== 0x5b) return undefined;
  for (let at = from + 2; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x6d) return at + 1;
    // Digits, `:` and `;`.
    if (byte < 0x30 || byte > 0x3b) return undefined;
  }
  return undefined;
}
