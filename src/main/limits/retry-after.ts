const SECOND_MS = 1000;

type Headers = Iterable<readonly [string, string]>;

/**
 * How long a server wants no more requests, by the headers of its refusal; undefined where they do not say it in a way
 * that can be used. Pure.
 */
export function serverWaitMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const lower = new Map<string, string>();
  for (const [name, value] of headers ?? []) lower.set(name.toLowerCase(), value.trim());
  return retryAfterMs(lower, nowMs) ?? resetMs(lower, nowMs);
}

/** `nowMs` is used where the server does not tell its own time. */
function retryAfterMs(headers: ReadonlyMap<string, string>, nowMs: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact) && Number(exact) > 0) return Number(exact);
  const text = headers.get('retry-after');
  if (text === undefined) return undefined;
  const seconds = /^(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(text)?.[1];
  if (seconds !== undefined) return positive(Number(seconds) * SECOND_MS);
  const at = httpDateMs(text);
  if (at === undefined) return undefined;
  // The difference to the server's own clock is the wait, whatever ours says.
  return positive(at - (httpDateMs(headers.get('date') ?? '') ?? nowMs));
}

const positive = (ms: number): number | undefined => (ms > 0 ? Math.ceil(ms) : undefined);

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The three forms of a date in HTTP, all in UTC. `Date.parse` takes numbers for years and one form for local time. */
function httpDateMs(text: string): number | undefined {
  const time = String.raw`(\d{2}):(\d{2}):(\d{2})`;
  const fixed = new RegExp(`^\\w+, (\\d{2})[ -](\\w{3})[ -](\\d{4}|\\d{2}) ${time} GMT$`, 'i').exec(text);
  if (fixed) {
    const [, day, month, year = '', ...clock] = fixed;
    return utcMs(year.length === 2 ? `20${year}` : year, month, day, clock);
  }
  const plain = new RegExp(`^\\w{3} (\\w{3}) +(\\d{1,2}) ${time} (\\d{4})$`, 'i').exec(text);
  if (!plain) return undefined;
  const [, month, day, hours = '', minutes = '', seconds = '', year = ''] = plain;
  return utcMs(year, month, day, [hours, minutes, seconds]);
}

function utcMs(
  year: string,
  month: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: readonly string[],
): number | undefined {
  const index = MONTHS.indexOf((month ?? '').toLowerCase());
  if (index < 0) return undefined;
  return Date.UTC(Number(year), index, Number(day), Number(hours), Number(minutes), Number(seconds));
}

/** `…ratelimit…remaining…: 0` with its `…reset…`; the one that is used up and comes back last. */
function resetMs(headers: ReadonlyMap<string, string>, nowMs: number): number | undefined {
  const waits: number[] = [];
  for (const [name, value] of headers) {
    if (!name.includes('ratelimit') || !name.includes('reset')) continue;
    const remaining = headers.get(name.replace('reset', 'remaining'));
    if (remaining !== undefined && Number(remaining) !== 0) continue;
    // Windows of an account (5 hours, 7 days) each have a status: only a rejected one holds.
    const status = headers.get(name.replace('reset', 'status'));
    if (status !== undefined && status !== 'rejected') continue;
    const wait = waitUntilReset(value, nowMs);
    if (wait !== undefined && wait > 0) waits.push(wait);
  }
  return waits.length === 0 ? undefined : Math.ceil(Math.max(...waits));
}

const YEAR_2001_S = 1_000_000_000;
const YEAR_2001_MS = YEAR_2001_S * SECOND_MS;

/** Seconds or milliseconds since 1970, seconds from now, an ISO time, or a duration such as `6m0s`. */
function waitUntilReset(text: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(text)) {
    const value = Number(text);
    if (value >= YEAR_2001_MS) return value - nowMs;
    return value >= YEAR_2001_S ? value * SECOND_MS - nowMs : value * SECOND_MS;
  }
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text)) return Date.parse(text) - nowMs;
  const span = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(text);
  if (!span || text === '') return undefined;
  const [, h = 0, m = 0, s = 0, ms = 0] = span;
  return Number(h) * 3600 * SECOND_MS + Number(m) * 60 * SECOND_MS + Number(s) * SECOND_MS + Number(ms);
}
