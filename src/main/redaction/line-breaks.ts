/*
 * Where a tool broke a long text into lines: the line end with what stands around it only because of it. That is indentation, the
 * quotes and the `+`, `,` or `\` of a text that goes on in the next line, the marks of comments, quotations and boxes, and also a line
 * end which is itself spelled out (`\n`), as in JSON.
 */

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TAB = 0x09;
const N = 0x6e;
const R = 0x72;
const T = 0x74;
const BAR = 0x7c;
/** Lines without text between two parts of one text: more are a gap. */
const MOST_LINE_ENDS = 4;
/** A text in a text in a text: more backslashes stand for nothing that was escaped. */
const MOST_BACKSLASHES = 8;

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;
const isQuote = (byte: number | undefined): boolean => byte === 0x22 || byte === 0x27 || byte === 0x60;
/** What joins two texts that stand in quotes or apart: `+ . , &`. */
const joins = (byte: number | undefined): boolean =>
  byte === 0x2b || byte === 0x2e || byte === 0x2c || byte === 0x26 || byte === BAR;
/** What begins a line of a quotation, a comment, a list or a difference: `> # * + - / |`. */
const marks = (byte: number | undefined): boolean =>
  byte === 0x3e ||
  byte === 0x23 ||
  byte === 0x2a ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2f ||
  byte === BAR;

/** A box is drawn with `│`, three bytes of UTF-8, of which the end may cut some off. */
const BOX = [0xe2, 0x94, 0x82] as const;
const boxEnd = (bytes: Uint8Array, at: number): number => {
  let end = at;
  while (end < at + BOX.length && end < bytes.length && bytes[end] === BOX[end - at]) end += 1;
  return end === at + BOX.length || end === bytes.length ? end : at;
};

/** A byte that may begin a line end. */
export const mayBreak = (byte: number): boolean =>
  byte === LINE_FEED || byte === RETURN || byte === BACKSLASH;

/** How many bytes of a line end stand at a place; 0: there is none. */
export function lineEndAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === LINE_FEED) return 1;
  if (first === RETURN) {
    let end = at + 1;
    while (bytes[end] === RETURN) end += 1;
    return (bytes[end] === LINE_FEED ? end + 1 : end) - at;
  }
  if (first !== BACKSLASH) return 0;
  let end = pastBackslashes(bytes, at);
  if (bytes[end] === R && bytes[end + 1] === BACKSLASH) end = pastBackslashes(bytes, end + 1);
  return bytes[end] === N ? end + 1 - at : 0;
}

function pastBackslashes(bytes: Uint8Array, at: number): number {
  let end = at;
  while (bytes[end] === BACKSLASH && end < at + MOST_BACKSLASHES) end += 1;
  return end;
}

/** By byte: 1 where nothing but text ends with it, 2 where nothing but text begins with it. */
const PLAIN = Uint8Array.from({ length: 0x100 }, (_, byte) => {
  const never = isBlank(byte) || isQuote(byte) || mayBreak(byte);
  return (
    (never || joins(byte) || byte === BOX[2] ? 0 : 1) | (never || marks(byte) || byte === BOX[0] ? 0 : 2)
  );
});

/** Where the text ends that a line end at a place breaks off. */
export function textEndBefore(bytes: Uint8Array, lineEnd: number): number {
  if (lineEnd > 0 && ((PLAIN[bytes[lineEnd - 1] as number] as number) & 1) !== 0) return lineEnd;
  let at = blanksBefore(bytes, lineEnd);
  const last = bytes[at - 1];
  if (last === BACKSLASH) at = blanksBefore(bytes, backslashesBefore(bytes, at));
  else if (last === BOX[2] && at > 2 && boxEnd(bytes, at - 3) === at) at = apart(bytes, at, at - 3);
  else if (joins(last)) at = apart(bytes, at, bytes[at - 2] === last ? at - 2 : at - 1);
  if (!isQuote(bytes[at - 1])) return at;
  at = backslashesBefore(bytes, at - 1);
  // A text in quotes that spells its own line end out.
  if (bytes[at - 1] !== N || bytes[at - 2] !== BACKSLASH) return at;
  at = backslashesBefore(bytes, at - 1);
  return bytes[at - 1] === R && bytes[at - 2] === BACKSLASH ? backslashesBefore(bytes, at - 1) : at;
}

/** What joins texts stands behind a quote or a blank; where it does not, it belongs to the text. */
function apart(bytes: Uint8Array, end: number, joint: number): number {
  const before = blanksBefore(bytes, joint);
  return before < joint || isQuote(bytes[before - 1]) ? before : end;
}

function blanksBefore(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && isBlank(bytes[at - 1])) at -= 1;
  return at;
}

function backslashesBefore(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && bytes[at - 1] === BACKSLASH && at > end - MOST_BACKSLASHES) at -= 1;
  return at;
}

/** Where the text goes on behind a line end; the end of the bytes where it has not come yet. */
export function textStartAfter(bytes: Uint8Array, behind: number): number {
  let at = behind;
  while (bytes[at] === SPACE) at += 1;
  if (at < bytes.length && ((PLAIN[bytes[at] as number] as number) & 2) !== 0) return at;
  for (let more = MOST_LINE_ENDS; ; more -= 1) {
    at = pastBlanks(bytes, at);
    const length = more > 0 ? lineEndAt(bytes, at) : 0;
    if (length === 0) break;
    at += length;
  }
  for (let more = 2; more > 0; more -= 1) {
    const end = marks(bytes[at]) ? pastMark(bytes, at) : boxEnd(bytes, at);
    // A mark stands apart from the text; before anything else it is part of it.
    if (end === at || (end < bytes.length && !isBlank(bytes[end]) && !isQuote(bytes[end]))) break;
    at = pastBlanks(bytes, end);
  }
  const quote = pastBackslashes(bytes, at);
  if (isQuote(bytes[quote])) return quote + 1;
  return quote === bytes.length ? quote : at;
}

const pastMark = (bytes: Uint8Array, at: number): number =>
  bytes[at] === 0x2f && bytes[at + 1] === 0x2f ? at + 2 : at + 1;

function pastBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    if (isBlank(bytes[at])) at += 1;
    else if (bytes[at] === BACKSLASH && bytes[pastBackslashes(bytes, at)] === T)
      at = pastBackslashes(bytes, at) + 1;
    else return at;
  }
}

/** Does the end cut off a line end that is spelled out? Then the next byte is no beginning of a text. */
export const endsInLineEnd = (bytes: Uint8Array): boolean =>
  bytes.at(-1) === BACKSLASH || (bytes.at(-1) === R && bytes.at(-2) === BACKSLASH);

/** Where a line end that is spelled out, or the side of a box, is cut off by the end. */
function beforeUnfinished(bytes: Uint8Array): number {
  for (const most of [1, 2]) {
    const box = bytes.length - most;
    if (box > 0 && bytes[box] === BOX[0] && boxEnd(bytes, box) === bytes.length) return box;
  }
  const at = backslashesBefore(bytes, bytes.length);
  return bytes[at - 1] === R && bytes[at - 2] === BACKSLASH ? backslashesBefore(bytes, at - 1) : at;
}

/** A text as it was before a tool broke it into lines. */
export type Unbroken = {
  /** Without a last part that may turn out to belong to a break once more has come. */
  bytes: Buffer;
  text: string;
  /** Where a character of it stands in what it was made of. */
  place(index: number): number;
  /** Was there a break before this character? */
  isBreak(index: number): boolean;
  /** The next break behind a place; the end of the text where there is none. */
  nextBreak(index: number): number;
};

export function unbroken(bytes: Buffer): Unbroken {
  const end = textEndBefore(bytes, beforeUnfinished(bytes));
  const kept = Buffer.allocUnsafe(bytes.length);
  const places = new Int32Array(bytes.length + 1);
  const breaks: number[] = [];
  let length = 0;
  let at = 0;
  /** Behind the last break: what belongs to it is not looked at again. */
  let since = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    const lineEnd = mayBreak(byte) ? lineEndAt(bytes, at) : 0;
    if (lineEnd > 0) {
      const text = Math.max(since, textEndBefore(bytes, at));
      length -= at - text;
      since = textStartAfter(bytes, at + lineEnd);
      if (breaks.at(-1) === length) {
        kept[length] = SPACE;
        places[length] = text;
        length += 1;
      }
      breaks.push(length);
      at = since;
      continue;
    }
    kept[length] = byte;
    places[length] = at;
    length += 1;
    at += 1;
  }
  // The last characters may be the beginning of a break.
  length -= bytes.length - Math.max(since, end);
  places[length] = Math.max(since, end);
  const folded = kept.subarray(0, length);
  const after = (index: number): number => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] as number) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    bytes: folded,
    text: folded.toString('latin1'),
    place: (index) => places[index] as number,
    isBreak: (index) => breaks[after(index)] === index,
    nextBreak: (index) => Math.min(breaks[after(index + 1)] ?? length, length),
  };
}
