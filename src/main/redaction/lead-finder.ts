import { later } from '../../shared/later.ts';
import {
  endsInLineEnd,
  lineEndAt,
  mayBreak,
  textEndBefore,
  textStartAfter,
  unbroken,
} from './line-breaks.ts';
import { SECRET_PATTERNS, type SecretPattern, shownOfValue } from './secret-patterns.ts';

/** A place where a secret begins: behind a pattern's lead, or a known value itself. */
export type Lead = {
  text: string;
  /** How much of it may be shown. */
  visible: number;
  ignoreCase: boolean;
  atWordStart: boolean;
  patterns: readonly SecretPattern[];
  /** Of a known value: what follows its first characters, which are looked for. */
  rest?: string;
};
export type Found = { index: number; length: number; lead: Lead };
/** What the end of the text may become: kept from `index`, shown up to `showTo`; so much of a known value is there. */
export type Unfinished = { index: number; showTo: number; valueLength: number };

/** Where in a lead its three rarest characters stand: both pairs in them are looked for. */
type Anchor = { lead: Lead; offset: number };

/** So much of a known value is looked for. */
const MOST_OF_VALUE = 64;
/** So many characters behind a line break are compared before the text is looked at without breaks. */
const BEHIND_BREAK = 5;

const ANCHOR = 1;
const BREAK = 2;
const JOINT = 4;

/** Leads by the pairs of bytes that stand in them. */
class LeadIndex {
  readonly pairs: Uint8Array;
  readonly anchors: Map<number, readonly Anchor[]>;
  /** By every pair: where a line break may be. */
  readonly joints: Map<number, readonly Anchor[]>;

  constructor(leads: readonly Lead[], others?: LeadIndex) {
    this.pairs = others ? Uint8Array.from(others.pairs) : new Uint8Array(0x10000);
    this.anchors = new Map(others?.anchors);
    this.joints = new Map(others?.joints);
    for (const lead of leads) this.#add(lead);
  }

  #add(lead: Lead): void {
    const offset = rarest(lead.text);
    for (let place = 0; place + 1 < lead.text.length; place += 1) {
      for (const pair of pairsAt(lead, place)) {
        this.#put(this.joints, JOINT, pair, { lead, offset: place });
        if (place === offset || place === offset + 1)
          this.#put(this.anchors, ANCHOR, pair, { lead, offset: place });
      }
    }
  }

  #put(map: Map<number, readonly Anchor[]>, kind: number, pair: number, anchor: Anchor): void {
    map.set(pair, [...(map.get(pair) ?? []), anchor]);
    this.pairs[pair] = (this.pairs[pair] as number) | kind;
  }
}

/** The leads of all patterns, made with the first finder. */
const patternLeads = later<{ list: Lead[]; index: LeadIndex }>(() => {
  const leads = new Map<string, Lead>();
  for (const pattern of SECRET_PATTERNS) {
    leads.set(pattern.lead, {
      text: pattern.lead,
      visible: pattern.lead.length,
      patterns: [...(leads.get(pattern.lead)?.patterns ?? []), pattern],
      ignoreCase: pattern.ignoreCase ?? false,
      atWordStart: pattern.atWordStart ?? false,
    });
  }
  const list = [...leads.values()];
  const index = new LeadIndex(list);
  for (let pair = 0; pair < 0x10000; pair += 1)
    if (mayBreak(pair >> 8) || mayBreak(pair & 0xff))
      index.pairs[pair] = (index.pairs[pair] as number) | BREAK;
  return { list, index };
});

function valueLeads(values: readonly string[]): Lead[] {
  const leads = new Map<string, Lead>();
  for (const value of values) {
    // As it is compared: without the line breaks, and the quotes at its end, that it may have itself.
    const { text: whole } = unbroken(Buffer.from(value, 'latin1'));
    if (whole.length < 4) continue;
    const text = whole.slice(0, MOST_OF_VALUE);
    const how = { ignoreCase: false, atWordStart: false, patterns: [] };
    leads.set(whole, { text, visible: visibleOfValue(whole), rest: whole.slice(text.length), ...how });
  }
  return [...leads.values()];
}

/**
 * Searches text for the beginnings of secrets. Every other pair of characters is looked up in a table; since each lead has
 * two overlapping pairs there, none is missed, and ordinary output is passed over at memory speed. So is each line end found,
 * where the last character of one line and the first of the next are looked up together: a lead that is broken there has that pair.
 */ export class LeadFinder {
  readonly #leads: readonly Lead[];
  readonly #longest: number;
  readonly #pairs: Uint8Array;
  readonly #index: LeadIndex;

  constructor(values: readonly string[]) {
    const patterns = patternLeads;
    const own = valueLeads(values);
    this.#leads = [...patterns.list, ...own];
    this.#longest = Math.max(...this.#leads.map((lead) => lead.text.length));
    this.#index = own.length > 0 ? new LeadIndex(own, patterns.index) : patterns.index;
    this.#pairs = this.#index.pairs;
  }

  /** All leads in the text (one byte a character), by place, at one place the longest first; one that is broken ends early. */
  find(bytes: Buffer, startsWord?: (index: number) => boolean): Found[] {
    const found: Found[] = [];
    const pairs = this.#pairs;
    const last = bytes.length - 1;
    /** Behind the last line break. */
    let since = 0;
    for (let at = 0; at < last; at += 2) {
      const pair = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
      const kind = pairs[pair] as number;
      if ((kind & (ANCHOR | BREAK)) === 0) continue;
      if ((kind & ANCHOR) !== 0) this.#verify(bytes, at, pair, found, startsWord);
      if ((kind & BREAK) !== 0) {
        if (at >= since && mayBreak(pair >> 8)) since = this.#atBreak(bytes, at, since, found);
        if (at + 1 >= since && mayBreak(pair & 0xff)) since = this.#atBreak(bytes, at + 1, since, found);
      }
    }
    return found.sort((a, b) => a.index - b.index || b.length - a.length);
  }

  /**
   * Length of the beginning that holds no lead that `counts`, and no part of one: all but the last characters of most output.
   */
  clearTo(bytes: Buffer, counts: (found: Found) => boolean): number {
    const first = this.find(bytes).find(counts)?.index ?? bytes.length;
    // With room for the breaks in it.
    const from = Math.max(0, bytes.length - 4 * this.#longest);
    const end = unbroken(bytes.subarray(from));
    const unfinished = this.unfinished(end.text, 0);
    const clear = endsInLineEnd(bytes) ? from + end.place(end.bytes.length) : bytes.length;
    return Math.min(first, unfinished ? from + end.place(unfinished.index) : clear);
  }

  /** Leads that the end of the text cuts off, from a place on. */
  unfinished(text: string, from: number): Unfinished | undefined {
    const first = Math.max(from, text.length - this.#longest + 1);
    const tail = text.slice(first);
    const folded = tail.toLowerCase();
    let result: Unfinished | undefined;
    for (const lead of this.#leads) {
      const length = overlap(lead.ignoreCase ? folded : tail, lead.text);
      if (length === 0) continue;
      const index = text.length - length;
      result ??= { index, showTo: text.length, valueLength: 0 };
      result.index = Math.min(result.index, index);
      result.showTo = Math.min(result.showTo, index + Math.min(length, lead.visible));
      if (lead.rest !== undefined) result.valueLength = Math.max(result.valueLength, length);
    }
    return result;
  }

  /** A lead that is broken by the line end at a place; where the text goes on behind it. */
  #atBreak(bytes: Buffer, at: number, since: number, found: Found[]): number {
    const length = lineEndAt(bytes, at);
    if (length === 0) return since;
    const end = textEndBefore(bytes, at);
    const start = textStartAfter(bytes, at + length);
    if (end === 0 || start >= bytes.length) return start;
    const pair = ((bytes[end - 1] as number) << 8) | (bytes[start] as number);
    if (((this.#pairs[pair] as number) & JOINT) !== 0) this.#join(bytes, end, start, pair, found);
    return start;
  }

  #join(bytes: Buffer, end: number, start: number, pair: number, found: Found[]): void {
    for (const { lead, offset } of this.#index.joints.get(pair) ?? []) {
      const index = end - 1 - offset;
      if (index < 0 || !standsAt(bytes, index, lead, 0, offset)) continue;
      const until = Math.min(lead.text.length, offset + 1 + BEHIND_BREAK, offset + 1 + bytes.length - start);
      if (!standsAt(bytes, start - offset - 1, lead, offset + 1, until)) continue;
      if (lead.atWordStart && isInWord(bytes, index)) continue;
      found.push({ index, length: offset + 1, lead });
    }
  }

  #verify(
    bytes: Buffer,
    at: number,
    pair: number,
    found: Found[],
    startsWord?: (index: number) => boolean,
  ): void {
    for (const { lead, offset } of this.#index.anchors.get(pair) ?? []) {
      const index = at - offset;
      const { length } = lead.text;
      if (index < 0 || index + length > bytes.length || !standsAt(bytes, index, lead, 0, length)) continue;
      if (lead.atWordStart && isInWord(bytes, index) && !startsWord?.(index)) continue;
      found.push({ index, length, lead });
    }
  }
}

/** Byte by byte: a string for each place that looks like a lead costs more than the whole search. */
export const isLeadAt = (bytes: Buffer, index: number, lead: Lead): boolean =>
  index + lead.text.length <= bytes.length && standsAt(bytes, index, lead, 0, lead.text.length);

function standsAt(
  bytes: Buffer,
  index: number,
  { text, ignoreCase }: Lead,
  from: number,
  to: number,
): boolean {
  for (let at = from; at < to; at += 1) {
    const code = bytes[index + at] as number;
    const folded = ignoreCase && code >= 65 && code <= 90 ? code + 32 : code;
    if (folded !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** How many characters at the end of `text` begin `lead`, without being all of it. */
function overlap(text: string, lead: string): number {
  for (let length = Math.min(text.length, lead.length - 1); length > 0; length -= 1) {
    if (
      text.charCodeAt(text.length - length) === lead.charCodeAt(0) &&
      text.endsWith(lead.slice(0, length))
    ) {
      return length;
    }
  }
  return 0;
}

/** How common a character is in ordinary output. */
function commonness(text: string, at: number): number {
  const character = text.charAt(at);
  if ('etaoinsrhldcu '.includes(character)) return 8;
  if (character >= 'a' && character <= 'z') return 5;
  return '-/.0123456789'.includes(character) ? 4 : 2;
}

/** Where the three characters begin that ordinary output holds least often together. */
function rarest(text: string): number {
  let best = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 3 <= text.length; at += 1) {
    const total = commonness(text, at) + commonness(text, at + 1) + commonness(text, at + 2);
    if (total < bestCost) {
      best = at;
      bestCost = total;
    }
  }
  return best;
}

/** The pairs of bytes that stand for two characters of a lead. */
const pairsAt = ({ text, ignoreCase }: Lead, place: number): number[] =>
  spellings(text.charAt(place), ignoreCase).flatMap((a) =>
    spellings(text.charAt(place + 1), ignoreCase).map((b) => (a.charCodeAt(0) << 8) | b.charCodeAt(0)),
  );

const spellings = (character: string, ignoreCase: boolean): string[] =>
  ignoreCase && character !== character.toUpperCase() ? [character, character.toUpperCase()] : [character];

/** The letter of an escape (`\n`, `\t`) before it is no letter of its word. */
const isInWord = (bytes: Buffer, index: number): boolean =>
  index > 0 &&
  isLetterOrDigit(bytes[index - 1] as number) &&
  !(bytes[index - 2] === 0x5c && ESCAPE_LETTERS.includes(bytes[index - 1] as number));

const ESCAPE_LETTERS = Buffer.from('nrt');

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** Of a value that looks like a known kind of secret the same part is shown as of any secret of that kind. */
function visibleOfValue(value: string): number {
  const kinds = SECRET_PATTERNS.filter((pattern) => !pattern.ignoreCase && value.startsWith(pattern.lead));
  return Math.max(shownOfValue(value), ...kinds.map((pattern) => pattern.lead.length));
}
