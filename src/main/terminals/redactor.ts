import { type Found, LeadFinder } from './lead-finder.ts';
import { type PlainView, plainBytesOf, plainView } from './plain-view.ts';
import { knownValues, type SecretPattern } from './secret-patterns.ts';

const MASK = '[redacted]';
/** So much of a secret's body, with its lead before it, is taken for one even if the rest never comes. */
const ENOUGH = 8;

const enough = (body: string): boolean => body.length >= ENOUGH;

/** Where a held beginning is joined with what follows it: used again, since output comes in large pieces. */
const scratch = Buffer.allocUnsafeSlow(128 * 1024);

type When = 'more' | 'late' | 'end';
/** Where a secret ends, and what of the text behind it is still swallowed as it comes. */
type Verdict =
  | { kind: 'no' }
  | { kind: 'wait' }
  | { kind: 'yes'; from: number; to: number; follow: Swallow | undefined };
type Swallow = { pattern: SecretPattern; left: number } | { rest: string };

/**
 * Takes secrets out of a stream of output, however it is chunked and coloured; everything else stays as it is. A beginning
 * that may become a secret is held back; `late` lets it go where nothing follows.
 */
export class Redactor {
  readonly #finder: LeadFinder;
  /** The text from the last possible beginning on, and how much of it is out already. */
  #text = '';
  #shown = 0;
  /** The visible character before `#text`. */
  #before = '';
  #swallow: Swallow | undefined;

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
    const clearTo = this.#swallow ? 0 : this.#clearTo(all);
    const from = Math.min(this.#shown, clearTo);
    this.#text = all.toString('latin1', clearTo);
    this.#shown -= from;
    const parts = clearTo > from ? [all.subarray(from, clearTo)] : [];
    if (this.#text !== '') parts.push(Buffer.from(this.#take('more'), 'latin1'));
    return parts;
  }

  /** Nothing came for a while: what is held back is shown, unless it is a secret by all appearance. */
  late(): Buffer {
    return Buffer.from(this.#take('late'), 'latin1');
  }

  /** The last of the output. */
  end(): Buffer {
    return Buffer.from(this.#take('end'), 'latin1');
  }

  /** How much of the output may be shown whatever follows; its last character is kept in mind. */
  #clearTo(bytes: Buffer): number {
    const { plain, original } = plainBytesOf(bytes);
    const count = this.#finder.clearTo(plain, (found) => counts(found, plain));
    if (count === 0) return 0;
    this.#before = plain.toString('latin1', count - 1, count);
    return original(count);
  }

  #take(when: When): string {
    const swallowed = this.#swallow ? this.#swallowed(when) : '';
    if (this.#swallow) return swallowed;
    const view = plainView(this.#before + this.#text);
    const scan = new Scan(this.#finder, view, this.#before.length, this.#before.length + this.#shown);
    const kept = scan.run(when);
    const out = swallowed + scan.out;
    this.#swallow = scan.swallow;
    // The character before what is kept decides whether a lead stands at the start of a word.
    const context = kept.index > 0 ? view.plain.slice(kept.index - 1, kept.index) : '';
    const all = this.#before + this.#text;
    const start = kept.index < view.plain.length ? view.original(kept.index) : kept.shown;
    this.#text = all.slice(start);
    this.#shown = Math.max(0, kept.shown - start);
    this.#before = context;
    return out;
  }

  /** Drops what belongs to the secret before; `#text` is what follows it. */
  #swallowed(when: When): string {
    const swallow = this.#swallow as Swallow;
    const view = plainView(this.#text);
    const { count, open, next } = swallowLength(swallow, view.plain, when);
    const cut = count < view.plain.length ? view.original(count) : view.end;
    const out = view.sequences(0, cut);
    this.#text = this.#text.slice(cut);
    this.#shown = 0;
    this.#before = count > 0 ? 'x' : this.#before;
    this.#swallow = open ? next : undefined;
    if (!open || when === 'more' || this.#text === '') return out;
    const rest = this.#text;
    this.#text = '';
    return out + rest;
  }
}

function joined(text: string, bytes: Buffer): Buffer {
  const length = text.length + bytes.length;
  if (length > scratch.length) return Buffer.concat([Buffer.from(text, 'latin1'), bytes]);
  scratch.write(text, 'latin1');
  bytes.copy(scratch, text.length);
  return scratch.subarray(0, length);
}

function swallowLength(
  swallow: Swallow,
  plain: string,
  when: When,
): { count: number; open: boolean; next: Swallow } {
  if ('rest' in swallow) {
    let count = 0;
    while (count < plain.length && count < swallow.rest.length && plain[count] === swallow.rest[count]) {
      count += 1;
    }
    const rest = swallow.rest.slice(count);
    return { count, open: count === plain.length && rest !== '' && when !== 'end', next: { rest } };
  }
  const { pattern, left } = swallow;
  const count = Math.min(left, bodyLength(pattern, plain, 0));
  const open = left > count && mayContinue(pattern, plain, count);
  return { count, open, next: { pattern, left: left - count } };
}

function bodyLength(pattern: SecretPattern, plain: string, from: number): number {
  pattern.body.lastIndex = from;
  return pattern.body.exec(plain)?.[0].length ?? 0;
}

const mayContinue = (pattern: SecretPattern, plain: string, at: number): boolean =>
  at === plain.length || (plain.length - at < 8 && (pattern.mayContinue?.test(plain.slice(at)) ?? false));

/** One pass over the text that is there. */
class Scan {
  readonly #finder: LeadFinder;
  readonly #view: PlainView;
  /** Place in the original up to which everything is out. */
  #done: number;
  #at: number;
  out = '';
  swallow: Swallow | undefined;

  constructor(finder: LeadFinder, view: PlainView, from: number, done: number) {
    this.#finder = finder;
    this.#view = view;
    this.#at = from;
    this.#done = done;
  }

  /** What must be looked at again with the next output: from a place of the plain text; `shown` is a place of the original. */
  run(when: When): { index: number; shown: number } {
    const { plain } = this.#view;
    /** Earliest place that is out, or goes out now, though it may yet turn out to begin a secret. */
    let pending: number | undefined;
    for (const found of this.#finder.find(Buffer.from(plain, 'latin1'))) {
      if (found.index < this.#at) continue;
      const verdict = judge(found, plain, when);
      if (verdict.kind === 'yes') {
        pending = undefined;
        this.#mask(verdict.from, verdict.to);
        this.#at = verdict.to;
        this.swallow = verdict.follow;
        if (this.swallow) return { index: verdict.to, shown: this.#done };
        continue;
      }
      if (verdict.kind === 'wait') {
        if (when === 'more') {
          this.#show(this.#view.original(found.index + found.length));
          return { index: pending ?? found.index, shown: this.#done };
        }
        pending ??= found.index;
      }
      this.#at = found.index + 1;
    }
    return this.#tail(when, pending);
  }

  #tail(when: When, pending: number | undefined): { index: number; shown: number } {
    const { plain, end } = this.#view;
    const unfinished = this.#finder.unfinished(plain, this.#at);
    if (unfinished && unfinished.showTo < plain.length) {
      const { value, valueLength } = unfinished;
      if (when === 'more') this.#show(this.#view.original(unfinished.showTo));
      else if (value !== undefined && valueLength >= ENOUGH) {
        this.#mask(unfinished.showTo, plain.length);
        this.swallow = { rest: value.slice(valueLength) };
        return { index: plain.length, shown: this.#done };
      } else this.#show(end);
    } else this.#show(end);
    // A sequence that is cut off goes on with the next output, or is shown as it is.
    if (when !== 'more') this.#show(this.#view.length);
    return { index: Math.min(pending ?? plain.length, unfinished?.index ?? plain.length), shown: this.#done };
  }

  #show(to: number): void {
    if (to <= this.#done) return;
    this.out += this.#view.slice(this.#done, to);
    this.#done = Math.min(to, this.#view.length);
  }

  #mask(from: number, to: number): void {
    const begin = this.#view.original(from);
    this.#show(begin);
    const until = to < this.#view.plain.length ? this.#view.original(to) : this.#view.end;
    const start = Math.max(begin, this.#done);
    this.out += MASK + this.#view.sequences(start, until);
    this.#done = Math.max(until, this.#done);
  }
}

/** Pure: is there a secret behind a lead? */
function judge({ index, length, lead }: Found, plain: string, when: When): Verdict {
  if (lead.value !== undefined) {
    return { kind: 'yes', from: index + lead.visible, to: index + length, follow: undefined };
  }
  let waits = false;
  for (const pattern of lead.patterns) {
    const verdict = judgePattern(pattern, plain, index + length, when);
    if (verdict.kind === 'yes') return verdict;
    waits ||= verdict.kind === 'wait';
  }
  return { kind: waits ? 'wait' : 'no' };
}

/** True where there is a secret behind a lead, or may be once more has come. */
function counts(found: Found, plain: Buffer): boolean {
  const { index, length, lead } = found;
  // Its patterns look no further than that.
  const reach =
    length + Math.max(0, ...lead.patterns.map(({ max, before }) => max + (before?.length ?? 0) + 8));
  const text = plain.toString('latin1', index, index + reach);
  return judge({ ...found, index: 0 }, text, 'more').kind !== 'no';
}

function judgePattern(pattern: SecretPattern, plain: string, start: number, when: When): Verdict {
  const count = Math.min(pattern.max, bodyLength(pattern, plain, start));
  const body = plain.slice(start, start + count);
  const open = count < pattern.max && mayContinue(pattern, plain, start + count);
  const followed = pattern.before === undefined || plain.startsWith(pattern.before, start + count);
  const publicLength = pattern.publicLength ? pattern.publicLength(body) : 0;
  const complete =
    count >= pattern.min && followed && publicLength !== undefined && (pattern.accept?.(body) ?? true);
  const partly =
    when !== 'more' &&
    open &&
    publicLength !== undefined &&
    (pattern.enough ?? enough)(body.slice(publicLength));
  if (complete || partly) {
    return {
      kind: 'yes',
      from: start + (publicLength ?? 0),
      to: start + count,
      follow: open ? { pattern, left: pattern.max - count } : undefined,
    };
  }
  return { kind: open ? 'wait' : 'no' };
}
