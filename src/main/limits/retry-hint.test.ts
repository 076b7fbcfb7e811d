import { describe, expect, it } from 'vitest';
import { retryHint } from './retry-hint.ts';

const NOW = Date.UTC(2026, 0, 1);
const hint = (lines: Record<string, string>, status = 429) =>
  retryHint(
    [`HTTP ${status}: slow down`, ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`)].join(
      '\n',
    ),
    NOW,
  );

describe('retryHint', () => {
  it.each([
    ['seconds', { 'retry-after': '2' }, 2000],
    ['seconds with spaces', { 'Retry-After': ' 7 ' }, 7000],
    ['more than a minute', { 'retry-after': '120' }, 120_000],
    ['thirty days', { 'retry-after': '2592000' }, 2_592_000_000],
    ['a fraction', { 'retry-after': '1.5' }, 1500],
    ['milliseconds beside seconds', { 'retry-after': '3', 'retry-after-ms': '250' }, 250],
    ['two headers joined', { 'retry-after': '3, 9' }, 3000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }, 120_000],
    ['a date of the old form', { 'retry-after': 'Thursday, 01-Jan-26 00:02:00 GMT' }, 120_000],
    ['a date without a zone', { 'retry-after': 'Thu Jan  1 00:02:00 2026' }, 120_000],
    [
      "a date by the server's own clock",
      { date: 'Thu, 01 Jan 2026 00:10:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:12:00 GMT' },
      120_000,
    ],
    ['a reset in milliseconds', { 'x-ratelimit-reset': '1767225642000' }, 42_000],
    ['a reset in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225642' }, 42_000],
    [
      'a reset as a duration',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
      360_000,
    ],
    [
      'the reset of what is used up, not of the rest',
      {
        'a-ratelimit-requests-remaining': '0',
        'a-ratelimit-requests-reset': '2026-01-01T00:00:30Z',
        'a-ratelimit-tokens-remaining': '5000',
        'a-ratelimit-tokens-reset': '2026-01-01T00:05:00Z',
      },
      30_000,
    ],
  ] as const)('reads %s', (_, headers, waitMs) => {
    expect(hint(headers)).toEqual({ waitMs });
  });

  it.each(['0', '-5', 'soon', '', 'Wed, 31 Dec 2025 23:59:00 GMT'])(
    'falls back to a wait of our own where it says %j',
    (value) => {
      expect(hint({ 'retry-after': value })).toBe('backoff');
    },
  );

  it('knows a limit by its words and status, and no limit where there is none', () => {
    expect(retryHint('gh: API rate limit exceeded for user ID 1.', NOW)).toBe('backoff');
    expect(retryHint('HTTP 403: You have exceeded a secondary rate limit', NOW)).toBe('backoff');
    expect(hint({}, 503)).toBe('backoff');
    expect(hint({ 'retry-after': '2' }, 503)).toEqual({ waitMs: 2000 });
    expect(retryHint('HTTP 422: Validation Failed', NOW)).toBeUndefined();
    expect(retryHint('x-ratelimit-remaining: 4999\nx-ratelimit-reset: 1767225642', NOW)).toBeUndefined();
  });
});
