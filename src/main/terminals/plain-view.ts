/** Sequences that change how text looks, not what it says. */
const SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;
/** A sequence that the end of the text cuts off. */
const UNFINISHED = /\u001b(?:\[[0-?]{0,60}[ -/]{0,4})?$/;

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
