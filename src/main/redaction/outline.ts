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
const NOT_PLAIN: Outline = { plain: false, lines: 0, style: new Set() };
/** Where the colour sequences since the last reset begin and end; never emptied, so that it keeps its memory. */
const places: number[] = [];
/** Thirteen digits of twelve kinds, with what stands around them, fit into a number. */
const SHORT_SEQUENCE = 16;
/** First byte of the C1 controls in UTF-8, and of other characters. */
const C2 = 0xc2;

/**
 * Looks over output without parsing it. `convertEol`: a line feed alone begins a new line. A sequence that is cut off at the end
 * is not plain.
 */
export function outlineOf(bytes: Uint8Array, convertEol: boolean): Outline {
  let lines = 0;
  let count = 0;
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
      if (end === undefined) return NOT_PLAIN;
      if (isReset(bytes, at, end)) count = 0;
      places[count] = at;
      places[count + 1] = end;
      count += 2;
      at = end - 1;
    } else if (byte === C2) {
      const next = bytes[at + 1] ?? 0x80;
      if (next < 0xa0) return NOT_PLAIN;
    } else if (byte !== CR && byte !== 0x09 && byte !== 0x08) return NOT_PLAIN;
  }
  return { plain: true, lines, style: styleOf(bytes, count) };
}

/** What `addStyle` would make of them; most are the same few, and are made a string once. */
function styleOf(bytes: Uint8Array, count: number): Set<string> {
  if (count === 0) return new Set();
  const last = new Map<number | string, string>();
  for (let index = count - 2; index >= 0; index -= 2) {
    const from = places[index] as number;
    const to = places[index + 1] as number;
    const key = numberOf(bytes, from, to) ?? textOf(bytes, from, to);
    if (!last.has(key)) last.set(key, textOf(bytes, from, to));
  }
  return new Set([...last.values()].reverse());
}

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Another number for each colour sequence; undefined for long ones. */
function numberOf(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from > SHORT_SEQUENCE) return undefined;
  let number = 0;
  for (let at = from + 2; at < to - 1; at += 1) number = number * 13 + (bytes[at] as number) - 0x2f;
  return number;
}

/** `ESC [ m` and `ESC [ 0 m`. */
const isReset = (bytes: Uint8Array, from: number, to: number): boolean =>
  to - from === 3 || (to - from === 4 && bytes[from + 2] === 0x30);

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
