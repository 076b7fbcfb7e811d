import { describe, expect, it } from 'vitest';
import { usageLimitIn } from './usage-limit.ts';

/** A Tuesday, 13:20 in Berlin. */
const NOW = Date.parse('2026-12-01T12:20:00Z');
const at = (iso: string): number => Date.parse(iso);
const local = (...parts: [number, number, number, number, number]): number => new Date(...parts).getTime();
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

describe('usageLimitIn', () => {
  it.each([
    ["You've hit your limit · resets 3pm (Europe/Berlin)", at('2026-12-01T14:00:00Z')],
    ["You've hit your session limit · resets 2:10pm (Europe/Moscow)", at('2026-12-02T11:10:00Z')],
    ["You've hit your weekly limit · resets Dec 5, 1pm (UTC)", at('2026-12-05T13:00:00Z')],
    ['Weekly limit reached ∙ resets Mon 12:00 AM (America/New_York)', at('2026-12-07T05:00:00Z')],
    ['5-hour limit reached ∙ resets 7:30 PM (Asia/Kolkata)', at('2026-12-01T14:00:00Z')],
    ['Claude AI usage limit reached|1780318800', 1_780_318_800_000],
    ["You're out of extra usage · resets Jan 2 at 9am (UTC)", at('2027-01-02T09:00:00Z')],
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 hours.", NOW + 3 * HOUR],
    [
      "ERROR: You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
      NOW + 5 * DAY + 22 * HOUR + 11 * MINUTE,
    ],
    ["You've hit your usage limit. Try again in less than a minute.", NOW + MINUTE],
    ["You've hit your usage limit. Visit the page or try again at 3:05 PM.", local(2026, 11, 1, 15, 5)],
    ["You've hit your usage limit or try again at Dec 2nd, 2026 3:05 PM.", local(2026, 11, 2, 15, 5)],
    [
      '{"error":{"type":"usage_limit_reached","resets_at":1780318800,"resets_in_seconds":99}}',
      1_780_318_800_000,
    ],
    ['usage_limit_reached {"resets_in_seconds":13872}', NOW + 13_872 * SECOND],
    ['Quota exceeded. Please retry in 33.4s.', NOW + 33_400],
    [
      'You have exhausted your capacity on this model. Your quota will reset after 5h23m10s.',
      NOW + 5 * HOUR + 23 * MINUTE + 10 * SECOND,
    ],
    ['status: 429, RESOURCE_EXHAUSTED, "retryDelay": "47s"', NOW + 47 * SECOND],
    ['Rate limit reached for gpt-5 in organization x. Please try again in 6m0s.', NOW + 6 * MINUTE],
    ['HTTP 429: Too Many Requests\nRetry-After: 25', NOW + 25 * SECOND],
    [
      'You have reached your spend limits. Usage limit: you will regain access on 2027-01-01 at 00:00 UTC.',
      at('2027-01-01T00:00:00Z'),
    ],
    ['usage limit: available again at 2026-12-01T17:30:00+02:00', at('2026-12-01T15:30:00Z')],
    ['rate limit exceeded, resets tomorrow at 9am (UTC)', at('2026-12-02T09:00:00Z')],
  ])('reads the time of %j', (text, resetAt) => {
    expect(usageLimitIn(text, NOW)?.resetAt).toBe(resetAt);
  });

  it('takes a time of day that has just passed for now, and an earlier one for tomorrow', () => {
    const text = 'usage limit reached, resets 1pm (Europe/Berlin)';
    expect(usageLimitIn(text, at('2026-12-01T12:10:00Z'))?.resetAt).toBe(at('2026-12-01T12:00:00Z'));
    expect(usageLimitIn(text, at('2026-12-01T12:20:00Z'))?.resetAt).toBe(at('2026-12-02T12:00:00Z'));
  });

  it('keeps the wall clock of a zone through the change of its summer time', () => {
    const text = 'limit reached: usage limit, resets Mar 29, 3am (Europe/Berlin)';
    expect(usageLimitIn(text, at('2027-03-20T00:00:00Z'))?.resetAt).toBe(at('2027-03-29T01:00:00Z'));
    expect(usageLimitIn(text.replace('29', '27'), at('2027-03-20T00:00:00Z'))?.resetAt).toBe(
      at('2027-03-27T02:00:00Z'),
    );
  });

  it.each([
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}',
    'API Error: Repeated 529 Overloaded errors',
    'insufficient_quota: You exceeded your current quota, please check your plan and billing details.',
    'Credit balance is too low',
    'Error: The model is overloaded. Please try again later.',
    "You've hit your usage limit or try again later.",
  ])('knows a limit without a time: %s', (text) => {
    expect(usageLimitIn(`working\n${text}\n`, NOW)).toEqual({ why: text });
  });

  it.each([
    'exit 1: 3 tests failed',
    'error TS2769: No overload matches this call.',
    'line 429 of limits.ts: unexpected token',
    'src/rate-limit.test.ts > limits the rate',
    'AssertionError: expected 528 to be 529',
    'resets 3pm',
    '',
  ])('sees none in %j', (text) => {
    expect(usageLimitIn(text, NOW)).toBeUndefined();
  });

  it('reads the end alone: what stands before is the work', () => {
    const work = 'I made the server answer 429 Too Many Requests.\n';
    expect(usageLimitIn(`${work}${'a line of work\n'.repeat(20)}exit 1`, NOW)).toBeUndefined();
  });
});
