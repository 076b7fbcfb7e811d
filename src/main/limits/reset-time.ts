import { isZone, timeOf, type WallTime, wallTimeAt } from './zoned-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_2001_S = 1_000_000_000;
/** A time of day that passed so short a time ago is meant, not that of tomorrow. */
const JUST_PASSED_MS = 15 * MINUTE_MS;

/** Seconds or milliseconds since 1970 as a time in milliseconds; undefined for what is neither. */
export function epochMs(value: number): number | undefined {
  if (!Number.isFinite(value) || value < YEAR_2001_S) return undefined;
  return value >= YEAR_2001_S * SECOND_MS ? value : value * SECOND_MS;
}

/**
 * Pure: when a limit ends by the words of a program, in any of the forms that programs use. Undefined: they name no time.
 * It may lie in the past.
 */
export function resetTimeIn(text: string, nowMs: number): number | undefined {
  return epochIn(text) ?? secondsIn(text, nowMs) ?? durationIn(text, nowMs) ?? momentIn(text, nowMs);
}

/** `"resets_at":1777936568`, `limit reached|1755806400`. */
function epochIn(text: string): number | undefined {
  const found = /(?:\bresets?_?at"?\s*[:=]\s*"?|limit reached\s?\|)(\d{10,13})\b/i.exec(text)?.[1];
  return found === undefined ? undefined : epochMs(Number(found));
}

/** `"resets_in_seconds":13872`, `Retry-After: 25`. */
function secondsIn(text: string, nowMs: number): number | undefined {
  const found =
    /\b(?:resets?_in_seconds|reset_after_seconds|retry[-_]after)"?\s*[:=]?\s*"?(\d+(?:\.\d+)?)(?![\d.:-]|\s*(?:ms|[mhd]\b|mins?|min|hours?|days?))/i;
  const seconds = found.exec(text)?.[1];
  return seconds === undefined ? undefined : nowMs + Number(seconds) * SECOND_MS;
}

/** Words after which the time comes. */
const AGAIN =
  /\b(?:resets?|will reset|try again|retry|available(?: again)?|(?:re)?gain access|renews?|refresh(?:es)?|come back|back|wait|until)\b/gi;
const UNIT_MS = { d: DAY_MS, h: 60 * MINUTE_MS, ms: 1, m: MINUTE_MS, s: SECOND_MS } as const;
const SPAN =
  /^(\d+(?:\.\d+)?|an?\b|less than an?\b)\s?(?:(d)(?:ays?)?|(h)(?:(?:ou)?rs?)?|(ms)|(m)(?:in(?:ute)?s?)?|(s)(?:ec(?:ond)?s?)?)(?![a-z])/i;

/** `try again in 2 days 17 hours 14 minutes`, `will reset after 5h23m10s`, `"retryDelay": "33s"`. */
function durationIn(text: string, nowMs: number): number | undefined {
  for (const { index, 0: word } of text.matchAll(AGAIN)) {
    const rest = text.slice(index + word.length, index + word.length + 160);
    const lead = /^[^.:;|]{0,20}?\b(?:in|after|for)\s+(?:about\s+)?/i.exec(rest)?.[0];
    const waitMs = lead === undefined ? undefined : spansMs(rest.slice(lead.length));
    if (waitMs !== undefined) return nowMs + waitMs;
  }
  const field = /\bretryDelay"?\s*[:=]\s*"?/i.exec(text);
  const waitMs = field && spansMs(text.slice(field.index + field[0].length));
  return waitMs == null ? undefined : nowMs + waitMs;
}

/** All spans at the beginning of a text, added up; undefined where it begins with none. */
function spansMs(text: string): number | undefined {
  let sumMs: number | undefined;
  for (let rest = text; ; ) {
    // `5h23m`: within one word a unit is followed by the next number.
    const span = SPAN.exec(rest) ?? /^(\d+(?:\.\d+)?)(?:(d)|(h)|(ms)|(m)|(s))(?=\d)/i.exec(rest);
    if (!span) return sumMs;
    const unit = span
      .slice(2)
      .find((each) => each !== undefined)
      ?.toLowerCase() as keyof typeof UNIT_MS;
    const count = Number(span[1]);
    sumMs = (sumMs ?? 0) + (Number.isNaN(count) ? 1 : count) * UNIT_MS[unit];
    rest = rest.slice(span[0].length).replace(/^(?:,?\s*(?:and\s+)?)/, '');
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH = `(${MONTHS.join('|')})[a-z]*\\.?`;

type Day = { year?: number; month: number; day: number } | { weekday: number } | { tomorrow: true };

/** `resets 3pm (Europe/Berlin)`, `try again at Dec 2nd, 2026 3:05 PM`, `resets Mon 9:00`, `until 2026-12-01T15:00:00Z`. */
function momentIn(text: string, nowMs: number): number | undefined {
  for (const { index, 0: word } of text.matchAll(AGAIN)) {
    const words = new Words(text.slice(index + word.length, index + word.length + 80));
    words.take(/^[\s:·"'*_-]{0,4}(?:your limit )?(?:at |on |by )?"?/i);
    const day = readDay(words);
    if (day) words.take(/^(?:,|\s|T(?=\d))*(?:at |on )?/i);
    const clock = readClock(words);
    if (!day && !clock) continue;
    return momentOf(day, clock ?? { hour: 0, minute: 0 }, readZone(words), nowMs);
  }
  return undefined;
}

/** A text that is read from its beginning. */
class Words {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest) ?? undefined;
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

function readDay(words: Words): Day | undefined {
  const iso = words.take(/^(\d{4})-(\d{2})-(\d{2})/);
  if (iso) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  if (words.take(/^tomorrow\b/i)) return { tomorrow: true };
  const weekday = words.take(new RegExp(`^(${DAYS.join('|')})[a-z]*\\b,?\\s*`, 'i'))?.[1];
  const american = words.take(new RegExp(`^${MONTH} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})\\b)?`, 'i'));
  const european = american ?? words.take(new RegExp(`^(\\d{1,2})\\.? ${MONTH}(?:,? (\\d{4})\\b)?`, 'i'));
  if (european) {
    const [first = '', second = ''] = european.slice(1);
    const [month, day] = american ? [first, second] : [second, first];
    const year = european[3] === undefined ? {} : { year: Number(european[3]) };
    return { ...year, month: MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, day: Number(day) };
  }
  return weekday === undefined ? undefined : { weekday: DAYS.indexOf(weekday.toLowerCase()) };
}

function readClock(words: Words): { hour: number; minute: number } | undefined {
  const found =
    words.take(/^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:\s?([ap])\.?m\b\.?)?/i) ??
    words.take(/^(\d{1,2})()\s?([ap])\.?m\b\.?/i);
  if (!found) return undefined;
  const [hour, minute, half] = [Number(found[1]), Number(found[2] || 0), found[3]?.toLowerCase()];
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return undefined;
  return { hour: half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0), minute };
}

/** The name of a zone, or a distance from UTC as `+02:00`; undefined: that of this machine. */
function readZone(words: Words): string | undefined {
  const name = words.take(/^\s?\(?\s?(Z\b|[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*|[+-]\d{2}:?\d{2})/)?.[1];
  if (name === undefined) return undefined;
  const known = name === 'Z' ? 'UTC' : name.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return isZone(known) ? known : undefined;
}

function momentOf(
  day: Day | undefined,
  clock: { hour: number; minute: number },
  zone: string | undefined,
  nowMs: number,
): number {
  const today = wallTimeAt(nowMs, zone);
  const on = (date: Partial<WallTime>, daysLater = 0): number => {
    const { year, month, day: dayOfMonth } = { ...today, ...date };
    // Through UTC, where every day has its hours: it carries over the ends of months.
    const later = new Date(Date.UTC(year, month - 1, dayOfMonth + daysLater));
    return timeOf(
      { year: later.getUTCFullYear(), month: later.getUTCMonth() + 1, day: later.getUTCDate(), ...clock },
      zone,
    );
  };
  if (day && 'month' in day) {
    const at = on(day);
    // Without its year: the next such day.
    return day.year === undefined && at < nowMs - DAY_MS ? on({ ...day, year: today.year + 1 }) : at;
  }
  if (day && 'tomorrow' in day) return on({}, 1);
  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const ahead = day ? (day.weekday - weekday + 7) % 7 : 0;
  const at = on({}, ahead);
  return at < nowMs - JUST_PASSED_MS ? on({}, ahead + (day ? 7 : 1)) : at;
}
