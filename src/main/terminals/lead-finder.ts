import { SECRET_PATTERNS, type SecretPattern, shownOfValue } from './secret-patterns.ts';

/** A place where a secret begins: behind a pattern's lead, or a known value itself. */
export type Lead = {
  text: string;
  /** How much of it may be shown. */
  visible: number;
  ignoreCase: boolean;
  atWordStart: boolean;
  patterns: readonly SecretPattern[];
  value?: string;
};
export type Found = { index: number; length: number; lead: Lead };
/** What the end of the text may become: kept from `index`, shown up to `showTo`; with the longest known value in it. */
export type Unfinished = { index: number; showTo: number; value?: string; valueLength: number };

/** Where in a lead its three rarest characters stand: both pairs in them are looked for. */
type Anchor = { lead: Lead; offset: number };

/**
 * Searches text for the beginnings of secrets. Every other pair of characters is looked up in a table; since each lead has
 * two overlapping pairs there, none is missed, and ordinary output is passed over at memory speed.
 */
export class LeadFinder {
  readonly #leads: readonly Lead[];
  readonly #longest: number;
  readonly #pairs = new Uint8Array(0x10000);
  readonly #anchors = new Map<number, Anchor[]>();

  constructor(values: readonly string[]) {
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
    for (const value of values) {
      const visible = visibleOfValue(value);
      const how = { ignoreCase: false, atWordStart: false };
      leads.set(`value ${value}`, { text: value, visible, patterns: [], value, ...how });
    }
    this.#leads = [...leads.values()];
    this.#longest = Math.max(...this.#leads.map((lead) => lead.text.length));
    for (const lead of this.#leads) this.#index(lead);
  }

  /** All leads in the text (one byte a character), by place, at one place the longest first. */
  find(bytes: Buffer): Found[] {
    const found: Found[] = [];
    const pairs = this.#pairs;
    const last = bytes.length - 1;
    for (let at = 0; at < last; at += 2) {
      const pair = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
      if (pairs[pair] === 1) this.#verify(bytes, at, this.#anchors.get(pair) ?? [], found);
    }
    return found.sort((a, b) => a.index - b.index || b.length - a.length);
  }

  /**
   * Length of the beginning that holds no lead that `counts`, and no part of one: all but the last characters of most output.
   */
  clearTo(bytes: Buffer, counts: (found: Found) => boolean): number {
    const first = this.find(bytes).find(counts)?.index ?? bytes.length;
    const from = Math.max(0, bytes.length - this.#longest);
    const unfinished = this.unfinished(bytes.toString('latin1', from), 0);
    return Math.min(first, unfinished ? from + unfinished.index : bytes.length);
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
      if (lead.value !== undefined && length > result.valueLength) {
        result.value = lead.value;
        result.valueLength = length;
      }
    }
    return result;
  }

  #index(lead: Lead): void {
    const offset = rarest(lead.text);
    for (const place of [offset, offset + 1]) {
      const [first = '', second = ''] = lead.text.slice(place, place + 2);
      for (const a of spellings(first, lead.ignoreCase)) {
        for (const b of spellings(second, lead.ignoreCase)) {
          const pair = (a.charCodeAt(0) << 8) | b.charCodeAt(0);
          const anchors = this.#anchors.get(pair);
          if (anchors) anchors.push({ lead, offset: place });
          else this.#anchors.set(pair, [{ lead, offset: place }]);
          this.#pairs[pair] = 1;
        }
      }
    }
  }

  #verify(bytes: Buffer, at: number, anchors: readonly Anchor[], found: Found[]): void {
    for (const { lead, offset } of anchors) {
      const index = at - offset;
      const { length } = lead.text;
      if (index < 0 || index + length > bytes.length || !standsAt(bytes, index, lead)) continue;
      if (lead.atWordStart && index > 0 && isLetterOrDigit(bytes[index - 1] as number)) continue;
      found.push({ index, length, lead });
    }
  }
}

/** Byte by byte: a string for each place that looks like a lead costs more than the whole search. */
function standsAt(bytes: Buffer, index: number, { text, ignoreCase }: Lead): boolean {
  for (let at = 0; at < text.length; at += 1) {
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

const spellings = (character: string, ignoreCase: boolean): string[] =>
  ignoreCase && character !== character.toUpperCase() ? [character, character.toUpperCase()] : [character];

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** Of a value that looks like a known kind of secret the same part is shown as of any secret of that kind. */
function visibleOfValue(value: string): number {
  const kinds = SECRET_PATTERNS.filter((pattern) => !pattern.ignoreCase && value.startsWith(pattern.lead));
  return Math.max(shownOfValue(value), ...kinds.map((pattern) => pattern.lead.length));
}
