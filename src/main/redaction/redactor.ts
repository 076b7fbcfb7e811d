import { type Found, isLeadAt, LeadFinder } from './lead-finder.ts';
import { type Unbroken, unbroken } from './line-breaks.ts';
import { type PlainView, plainBytesOf, plainView } from './plain-view.ts';
import { ENOUGH, judge } from './secret-judge.ts';
import { knownValues } from './secret-patterns.ts';

const MASK = '[redacted]';
/** So much behind a lead tells in most cases that there is no secret. */
const FIRST_LOOK = 192;

/** Output with a secret in it is looked through in pieces of so many bytes. */
const PIECE = 8 * 1024;

/** Where a held beginning is joined with what follows it: used again, since output comes in large pieces. */
const scratch = Buffer.allocUnsafeSlow(128 * 1024);

/** More follows; nothing came for a while; nothing will come. */
type When = 'more' | 'late' | 'end';

/**
 * Takes secrets out of a stream of output, however it is chunked, coloured and broken into lines; everything else stays as it is.
 * A beginning that may become a secret is held back; `late` lets it go where nothing follows.
 */
export class Redactor {
  readonly #finder: LeadFinder;
  /** The text from the earliest place on that what follows may still make a secret of, and how much of it is out already. */
  #text = '';
  #shown = 0;
  /** What was let out last is the sign of a secret: more of it needs none. */
  #masked = false;
  /** The two visible characters before `#text`. */
  #before = '';

  /** Takes the secrets, or a finder that knows them already. */
  constructor(secrets: readonly string[] | LeadFinder) {
    this.#finder = secrets instanceof LeadFinder ? secrets : new LeadFinder(knownValues(secrets));
  }

  /** True while output is held back. */
  get holding(): boolean {
    return this.#text.length > this.#shown;
  }

  /** What may be shown now, in parts that are valid until any redactor is given more. */
  push(bytes: Buffer): Buffer[] {
    const all = this.#text === '' ? bytes : joined(this.#text, bytes);
    // Most output: nothing to look at but its last characters, and no strings made of the rest.
    const clearTo = this.#clearTo(all);
    const from = Math.min(this.#shown, clearTo);
    const end = Math.min(all.length, Math.max(clearTo, this.#text.length) + PIECE);
    this.#text = all.toString('latin1', clearTo, end);
    this.#shown -= from;
    const parts = clearTo > from ? [all.subarray(from, clearTo)] : [];
    if (parts.length > 0) this.#masked = false;
    if (this.#text !== '') parts.push(Buffer.from(this.#take('more'), 'latin1'));
    if (end === all.length) return parts;
    // A secret makes no more than a piece slow.
    const rest = all.buffer === scratch.buffer ? Buffer.from(all.subarray(end)) : all.subarray(end);
    return [...parts.map((part) => Buffer.from(part)), ...this.push(rest)];
  }

  /** Nothing came for a while: what is held back is shown, unless it is a secret by all appearance. */
  late(): Buffer {
    return Buffer.from(this.#take('late'), 'latin1');
  }

  /** The last of the output. */
  end(): Buffer {
    return Buffer.from(this.#take('end'), 'latin1');
  }

  /** How much of the output may be shown whatever follows; its last characters are kept in mind. */
  #clearTo(bytes: Buffer): number {
    const { plain, original } = plainBytesOf(bytes);
    const count = this.#finder.clearTo(plain, (found) => counts(found, plain));
    if (count === 0) return 0;
    this.#before = plain.toString('latin1', Math.max(0, count - 2), count);
    return original(count);
  }

  #take(when: When): string {
    const all = this.#before + this.#text;
    const plain = plainView(all);
    const text = unbroken(Buffer.from(plain.plain, 'latin1'));
    const view = new View(plain, text);
    const start = this.#before.length;
    let first = 0;
    while (first < text.bytes.length && text.place(first) < start) first += 1;
    const scan = scanned(this.#finder, text, first, when);
    const done = start + this.#shown;
    const limit = when === 'more' ? view.limit(scan.hold) : all.length;
    const out = this.#let(view, scan.masks, done, limit);

    // What a secret that is not out yet covers is kept with its beginning.
    const late = scan.masks.filter(({ to }) => view.end(to) > limit).map(({ index }) => index);
    const keep = Math.min(scan.keep, ...late);
    // A sequence that is cut off is known as one only with its beginning.
    const rest = Math.min(Math.max(limit, done), plain.end);
    // A line end that is cut apart is one only with its beginning, too: what of it is out is kept in mind.
    const isKept = keep < text.bytes.length || (when !== 'end' && view.start(keep) < rest);
    const kept = isKept ? view.start(keep) : rest;
    const before = isKept ? text.place(keep) : plain.plain.length;
    this.#text = all.slice(kept);
    this.#shown = Math.max(0, Math.max(limit, done) - kept);
    this.#before = plain.plain.slice(Math.max(0, before - 2), before);
    return out;
  }

  /** The text between two places of the original, with signs instead of secrets. */
  #let(view: View, masks: readonly Mask[], from: number, limit: number): string {
    let out = '';
    let done = from;
    for (const mask of masks) {
      const begin = view.start(mask.from);
      const until = Math.min(view.end(mask.to), limit);
      if (begin >= limit) break;
      if (until <= done) continue;
      if (begin > done) {
        out += view.plain.slice(done, begin);
        done = begin;
        this.#masked = false;
      }
      if (!this.#masked) out += MASK;
      this.#masked = true;
      out += view.plain.sequences(done, until);
      done = until;
    }
    if (limit <= done) return out;
    this.#masked = false;
    return out + view.plain.slice(done, limit);
  }
}

function joined(text: string, bytes: Buffer): Buffer {
  const length = text.length + bytes.length;
  if (length > scratch.length) return Buffer.concat([Buffer.from(text, 'latin1'), bytes]);
  scratch.write(text, 'latin1');
  bytes.copy(scratch, text.length);
  return scratch.subarray(0, length);
}

/** True where there is a secret behind a lead, or may be once more has come. */
function counts({ index, lead }: Found, plain: Buffer): boolean {
  const view = unbroken(plain.subarray(index, index + lead.text.length + FIRST_LOOK));
  if (view.bytes.length < lead.text.length) return true;
  if (!isLeadAt(view.bytes, 0, lead)) return false;
  return judge({ index: 0, length: lead.text.length, lead }, view, false).kind !== 'no';
}

/** Finds places of the text without breaks in the original, and there the end of a character apart from the start of the next. */
class View {
  readonly plain: PlainView;
  readonly #text: Unbroken;

  constructor(plain: PlainView, text: Unbroken) {
    this.plain = plain;
    this.#text = text;
  }

  start(index: number): number {
    return this.plain.original(this.#text.place(index));
  }

  end(index: number): number {
    return index === 0 ? 0 : this.plain.original(this.#text.place(index - 1)) + 1;
  }

  /** What may be shown before a place; without one, all but a sequence that is cut off. */
  limit(hold: number | undefined): number {
    return hold === undefined ? this.plain.end : this.end(hold);
  }
}

/** A secret between two places, with the place where what told it begins. */
type Mask = { index: number; from: number; to: number };

/** Pure: the secrets in a text, where what is undecided begins, and from where on it must be looked at again. */
function scanned(
  finder: LeadFinder,
  text: Unbroken,
  start: number,
  when: When,
): { masks: Mask[]; hold: number | undefined; keep: number } {
  const last = when !== 'more';
  const masks: Mask[] = [];
  let hold: number | undefined;
  let keep = text.bytes.length;
  const holdFrom = (place: number): void => {
    hold = Math.min(hold ?? place, place);
  };
  /** The end of a secret of each alphabet: what begins inside of it ends with it. */
  const covered = new Map<RegExp, number>();
  for (const found of finder.find(text.bytes, text.isBreak)) {
    const alphabets = found.lead.patterns.map(({ body }) => body);
    if (found.index < start) continue;
    if (alphabets.length > 0 && alphabets.every((body) => (covered.get(body) ?? 0) > found.index)) continue;
    const verdict = judge(found, text, last);
    if (verdict.kind === 'no') continue;
    if (verdict.open) keep = Math.min(keep, found.index);
    if (verdict.kind === 'wait') holdFrom(verdict.from);
    else {
      masks.push({ index: found.index, from: verdict.from, to: verdict.to });
      if (verdict.open) holdFrom(verdict.to);
      if (verdict.pattern) covered.set(verdict.pattern.body, verdict.to);
    }
  }
  const unfinished = finder.unfinished(text.text, start);
  if (unfinished) {
    const { index, showTo, valueLength } = unfinished;
    keep = Math.min(keep, index);
    if (showTo < text.bytes.length) {
      holdFrom(showTo);
      if (last && valueLength >= ENOUGH) masks.push({ index, from: showTo, to: text.bytes.length });
    }
  }
  return { masks: united(masks), hold, keep };
}

/** Secrets that overlap, or touch each other, are one. */
function united(masks: readonly Mask[]): Mask[] {
  const all: Mask[] = [];
  for (const mask of [...masks].sort((a, b) => a.from - b.from)) {
    const before = all.at(-1);
    if (before && mask.from <= before.to) {
      before.to = Math.max(before.to, mask.to);
      before.index = Math.min(before.index, mask.index);
    } else all.push({ ...mask });
  }
  return all;
}
