import type { Found } from './lead-finder.ts';
import type { Unbroken } from './line-breaks.ts';
import { looksLikeWords } from './looks-like-words.ts';
import type { SecretPattern } from './secret-patterns.ts';

/** So much of a secret's body, with its lead before it, is taken for one even if the rest never comes. */
export const ENOUGH = 8;
/** A shorter part in a line of its own gives nothing away, and may be a word of what follows. */
const LONG_PART = 10;
/** So many parts in a row may look like words where random ones follow. */
const MOST_WORDS = 3;

/** Is there a secret behind a lead, between which places of the text, and may more of it come? */
export type Verdict = {
  kind: 'no' | 'wait' | 'yes';
  from: number;
  to: number;
  open: boolean;
  pattern?: SecretPattern;
};

const NO: Verdict = { kind: 'no', from: 0, to: 0, open: false };

/** `last`: nothing follows for now, so a good part of a secret is taken for one. */
export function judge({ index, length, lead }: Found, view: Unbroken, last: boolean): Verdict {
  const at = index + length;
  if (lead.rest !== undefined) return judgeValue(lead.rest, index + lead.visible, at, view);
  let waiting: Verdict | undefined;
  let found: Verdict | undefined;
  for (const pattern of lead.patterns) {
    const verdict = judgePattern(pattern, view, at, last);
    if (verdict.kind === 'yes' && (!found || verdict.to > found.to)) found = verdict;
    if (verdict.kind === 'wait') waiting ??= verdict;
  }
  return found ?? waiting ?? NO;
}

/** The beginning of a long value is known already; how much of its rest is there? */
function judgeValue(rest: string, from: number, at: number, { text }: Unbroken): Verdict {
  let count = 0;
  while (count < rest.length && text[at + count] === rest[count]) count += 1;
  const to = at + count;
  return { kind: 'yes', from, to, open: count < rest.length && to === text.length };
}

function judgePattern(pattern: SecretPattern, view: Unbroken, lead: number, last: boolean): Verdict {
  const { text } = view;
  const start = pattern.opening ? pattern.opening(text, lead, view.isBreak) : lead;
  if (start === 'no') return NO;
  if (start === 'wait') return { kind: 'wait', from: text.length, to: text.length, open: true };
  const { to, open } = bodyOf(pattern, view, start, last);
  const body = text.slice(start, to);
  const publicLength = pattern.publicLength ? pattern.publicLength(body) : 0;
  const from = start + (publicLength ?? 0);
  const followed = pattern.before === undefined || text.startsWith(pattern.before, to);
  const complete =
    body.length >= pattern.min && followed && publicLength !== undefined && (pattern.accept?.(body) ?? true);
  const secret = body.slice(publicLength);
  const partly = last && open && publicLength !== undefined && (pattern.enough ?? isEnough)(secret);
  if (complete || partly) return { kind: 'yes', from, to, open, pattern };
  return open ? { kind: 'wait', from, to, open } : NO;
}

const isEnough = (body: string): boolean => body.length >= ENOUGH;

/** How far a body goes, over line breaks too; open: more may belong to it once it has come. */
function bodyOf(
  pattern: SecretPattern,
  view: Unbroken,
  start: number,
  last: boolean,
): { to: number; open: boolean } {
  const { text } = view;
  pattern.body.lastIndex = start;
  const run = pattern.body.exec(text)?.[0].length ?? 0;
  const end = start + Math.min(run, pattern.max);
  const reachesEnd =
    run < pattern.max &&
    (end === text.length ||
      (text.length - end < 40 && (pattern.mayContinue?.test(text.slice(end)) ?? false)));
  const decided = through(new Parts(pattern, view, start, end, reachesEnd));
  // Nothing more comes for now: what is there is judged as if it were all.
  const to = last && decided.open ? through(new Parts(pattern, view, start, end, false)).to : decided.to;
  return { to, open: decided.open };
}

function through(parts: Parts): { to: number; open: boolean } {
  const { view, start, end } = parts;
  let at = start;
  while (at < end) {
    const next = Math.min(view.nextBreak(at), end);
    const verdict = at === start && !view.isBreak(start) ? 'yes' : parts.goesOn(at, next, MOST_WORDS);
    if (verdict !== 'yes') return { to: at, open: verdict === 'wait' };
    at = next;
  }
  return { to: end, open: parts.open };
}

/** The parts of one body, each in a line of its own. */
class Parts {
  readonly #pattern: SecretPattern;
  readonly view: Unbroken;
  readonly start: number;
  readonly end: number;
  readonly open: boolean;
  /** The length of the longest part before, how many there were, and how many as long as that one. */
  #longest = 0;
  #count = 0;
  #long = 0;

  constructor(pattern: SecretPattern, view: Unbroken, start: number, end: number, open: boolean) {
    this.#pattern = pattern;
    this.view = view;
    this.start = start;
    this.end = end;
    this.open = open;
  }

  /** Does the body go on with the part between two places, behind a break? */
  goesOn(from: number, to: number, words: number): 'yes' | 'no' | 'wait' {
    const verdict = this.#judge(from, to, words);
    if (verdict === 'yes' && words === MOST_WORDS) this.#counted(to - from);
    return verdict;
  }

  #judge(from: number, to: number, words: number): 'yes' | 'no' | 'wait' {
    const pattern = this.#pattern;
    const part = this.view.text.slice(from, to);
    const mayGrow = to === this.end && this.open;
    if (pattern.before === undefined && isAssignment(part)) return 'no';
    if (mayGrow && mayBeAssignment(pattern, part)) return 'wait';
    if (pattern.end !== undefined) {
      if (!this.#isRegular()) return 'no';
      if (to === this.end && this.view.text.startsWith(pattern.end, to)) return 'yes';
      if (!looksLikeWords(part)) return 'yes';
    } else if (pattern.before !== undefined) {
      // What must follow tells it, whatever the part looks like.
      if (!this.#isWhole(from) || !looksLikeWords(part)) return 'yes';
      return mayGrow ? 'wait' : 'no';
    } else {
      if (from - this.start < pattern.min) return 'yes';
      const whole = this.#isWhole(from);
      if (part.length >= LONG_PART ? !whole || !looksLikeWords(part) : !whole && !looksLikeWords(part)) {
        return 'yes';
      }
      if (whole && part.length < LONG_PART && part.length !== this.#longest) return mayGrow ? 'wait' : 'no';
    }
    if (mayGrow) return 'wait';
    if (to === this.end || words === 0) return 'no';
    return this.goesOn(to, Math.min(this.view.nextBreak(to), this.end), words - 1);
  }

  #isWhole(at: number): boolean {
    const { whole } = this.#pattern;
    return typeof whole === 'number' ? at - this.start >= whole : whole(this.view.text.slice(this.start, at));
  }

  /** The lines of a key are as long as each other, or were broken in the same way each: a list of names is not. */
  #isRegular(): boolean {
    return this.#count < 8 || this.#long * 5 >= this.#count * 2;
  }

  #counted(length: number): void {
    this.#count += 1;
    if (length > this.#longest) {
      this.#longest = length;
      this.#long = 0;
    }
    if (length === this.#longest) this.#long += 1;
  }
}

const isAssignment = (part: string): boolean => /^[A-Za-z_][\w.-]*[=:](?!=|$)/.test(part);

/** Where a body may hold the sign of an assignment, a name at the end of the text may be followed by one. */
function mayBeAssignment({ body, before }: SecretPattern, part: string): boolean {
  if (before !== undefined || !/^[A-Za-z_][\w.-]*[=:]?$/.test(part)) return false;
  body.lastIndex = 0;
  return body.exec('=')?.[0] === '=';
}
