/** Sequences that change how text looks, not what it says. */
const SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;
/** Longer ones are none that was cut off. */
const MOST_PARAMETERS = 60;
const MOST_INTERMEDIATES = 4;
/** A sequence that the end of the text cuts off. */
const UNFINISHED = new RegExp(`\\u001b(?:\\[[0-?]{0,${MOST_PARAMETERS}}[ -/]{0,${MOST_INTERMEDIATES}})?$`);

/** A text without colours and the like, whose places can be found again in the original. */
export type PlainView = {
  plain: string;
  /** Length of the original, and a piece of it. */
  length: number;
  slice(from: number, to: number): string;
  /** Length of the original without a sequence that is cut off at its end. */
  end: number;
  /** The place in the original of a place in `plain`: behind all sequences before it. */
  original(index: number): number;
  /** The sequences between two places of the original. */
  sequences(from: number, to: number): string;
};

export function plainView(text: string): PlainView {
  const slice = (from: number, to: number): string => text.slice(from, to);
  if (!text.includes('\u001b')) {
    return {
      plain: text,
      length: text.length,
      slice,
      end: text.length,
      original: (index) => index,
      sequences: () => '',
    };
  }
  const end = text.length - (UNFINISHED.exec(text)?.[0].length ?? 0);
  const whole = end < text.length ? text.slice(0, end) : text;
  let ranges: { plainStart: number; start: number }[] | undefined;
  const load = (): { plainStart: number; start: number }[] => {
    if (ranges) return ranges;
    ranges = [];
    let plainStart = 0;
    let start = 0;
    for (const match of whole.matchAll(SEQUENCE)) {
      if (match.index > start) ranges.push({ plainStart, start });
      plainStart += match.index - start;
      start = match.index + match[0].length;
    }
    ranges.push({ plainStart, start });
    return ranges;
  };
  return {
    plain: whole.replace(SEQUENCE, ''),
    length: text.length,
    slice,
    end,
    original(index) {
      const list = load();
      let low = 0;
      let high = list.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((list[middle]?.plainStart ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      const range = list[low] ?? { plainStart: 0, start: 0 };
      return range.start + index - range.plainStart;
    },
    sequences: (from, to) => (text.slice(from, to).match(SEQUENCE) ?? []).join(''),
  };
}

const ESCAPE = 0x1b;
const CUT = -1;

/** What `plainView` says of bytes, without a string made of them. */
export type PlainBytes = {
  /** Valid until the next view is made. */
  plain: Buffer;
  /** The place in the original of a place in `plain`: behind all sequences before it. */
  original(index: number): number;
};

/** Used again, since output comes in large pieces. */
const scratch = Buffer.allocUnsafeSlow(128 * 1024);
/** Where sequences end in the original, and where that is in the plain text; never emptied, so that they keep their memory. */
const ends: number[] = [];
const places: number[] = [];

export function plainBytesOf(bytes: Buffer): PlainBytes {
  let at = bytes.indexOf(ESCAPE);
  if (at < 0) return { plain: bytes, original: (index) => index };
  const plain = bytes.length <= scratch.length ? scratch : Buffer.allocUnsafe(bytes.length);
  bytes.copy(plain, 0, 0, at);
  let count = 0;
  let length = at;
  while (at < bytes.length) {
    const end = sequenceEnd(bytes, at);
    if (end === CUT) break;
    ends[count] = end;
    places[count] = length;
    count += 1;
    // Byte by byte: the next sequence is seldom far, and a copy costs more to call.
    if (end === at) {
      plain[length] = ESCAPE;
      length += 1;
      at += 1;
    } else at = end;
    while (at < bytes.length && bytes[at] !== ESCAPE) {
      plain[length] = bytes[at] as number;
      length += 1;
      at += 1;
    }
  }
  return {
    plain: plain.subarray(0, length),
    original(index) {
      let last = count - 1;
      while (last >= 0 && (places[last] as number) > index) last -= 1;
      return last < 0 ? index : (ends[last] as number) + index - (places[last] as number);
    },
  };
}

/** Where a sequence ends that begins at a place: there too where none does. `CUT`: it may, but the end cuts it off. */
function sequenceEnd(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  if (from + 1 === length) return CUT;
  if (bytes[from + 1] !== 0x5b) return from;
  const parameters = from + 2;
  let at = parameters;
  while (at < length && isBetween(bytes[at] as number, 0x30, 0x3f)) at += 1;
  const intermediates = at;
  while (at < length && isBetween(bytes[at] as number, 0x20, 0x2f)) at += 1;
  if (at < length) return isBetween(bytes[at] as number, 0x40, 0x7e) ? at + 1 : from;
  return intermediates - parameters <= MOST_PARAMETERS && at - intermediates <= MOST_INTERMEDIATES
    ? CUT
    : from;
}

const isBetween = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;
