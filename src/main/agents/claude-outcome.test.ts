import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from './agent.ts';
import { ClaudeCourse, claudeOutcome } from './claude-outcome.ts';
import { ClaudeStream } from './claude-stream.ts';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const RESET = NOW + 3_600_000;

/** The outcome of a run that printed these events. */
function outcomeOf(
  events: readonly object[],
  end: AgentOutcome = { kind: 'finished' },
  tail = '',
): AgentOutcome {
  const course = new ClaudeCourse();
  const stream = new ClaudeStream();
  for (const event of events) {
    for (const read of stream.push(Buffer.from(`${JSON.stringify(event)}\n`))) course.take(read, NOW);
  }
  return claudeOutcome(end, course, { tail, nowMs: NOW });
}

const failed: AgentOutcome = { kind: 'failed', why: 'exit 1, no output', exit: 1 };
const result = (more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  result: 'Done.',
  ...more,
});
const limit = (status: string, more: object = {}): object => ({
  type: 'rate_limit_event',
  rate_limit_info: { status, resetsAt: RESET / 1000, ...more },
});
const said = (text: string): object => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'text', text }] },
});
const used = {
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', name: 'Bash', input: {} }] },
};
const HIT = "You've hit your limit · resets 2pm (Europe/Berlin)";

describe('claudeOutcome', () => {
  it.each([
    [
      { subtype: 'success', is_error: true, result: 'Invalid API key · Please run /login' },
      /Invalid API key/,
    ],
    [{ subtype: 'error_max_turns', is_error: false, result: undefined }, /error max turns/],
    [{ subtype: 'error_during_execution', errors: ['it broke'], result: undefined }, /it broke/],
  ])('fails with the text of %j', (more, why) => {
    expect(outcomeOf([result(more)])).toMatchObject({ kind: 'failed', why: expect.stringMatching(why) });
  });

  it('takes an exit of 0 without a result for no success', () => {
    expect(outcomeOf([])).toMatchObject({ kind: 'failed' });
    expect(outcomeOf([], { kind: 'timed-out' })).toEqual({ kind: 'timed-out' });
  });

  it('takes a result for one, however the program ended after it, save by a person', () => {
    expect(outcomeOf([result()], { kind: 'timed-out' })).toMatchObject({ kind: 'finished' });
    expect(outcomeOf([result()], failed)).toMatchObject({ kind: 'finished' });
    expect(outcomeOf([result()], { kind: 'cancelled' })).toEqual({ kind: 'cancelled' });
    expect(outcomeOf([result(), used], { kind: 'timed-out' })).toEqual({ kind: 'timed-out' });
  });

  it.each([
    ['an event and a result', [limit('rejected'), said(HIT), result({ is_error: true, result: HIT })], RESET],
    ['an event alone', [limit('rejected')], RESET],
    ['the time in the result', [result({ is_error: true, result: HIT })], Date.parse('2026-12-01T13:00:00Z')],
    [
      'the status of the result',
      [result({ is_error: true, result: 'No.', api_error_status: 429 })],
      undefined,
    ],
    [
      'the words of the result',
      [result({ is_error: true, result: 'API Error: 429 {"type":"error"}' })],
      undefined,
    ],
    [
      'an overloaded service',
      [result({ is_error: true, result: 'API Error: Repeated 529 Overloaded errors' })],
      undefined,
    ],
    [
      'a retry that lies far ahead',
      [{ type: 'system', subtype: 'api_retry', retry_delay_ms: 3_600_000, error_status: 429 }],
      RESET,
    ],
  ] as const)('is limited by %s', (_, events, resetAt) => {
    const outcome = outcomeOf(events, failed);
    expect(outcome).toMatchObject({ kind: 'limited', limit: { why: expect.any(String) } });
    expect(outcome.kind === 'limited' && outcome.limit.resetAt).toBe(resetAt);
  });

  it('is limited by the words that it ended with', () => {
    expect(outcomeOf([], failed, 'Claude AI usage limit reached|1780318800')).toEqual({
      kind: 'limited',
      limit: { why: 'Claude AI usage limit reached|1780318800', resetAt: 1_780_318_800_000 },
    });
  });

  it('is not limited by a warning, by an overage that is used, or by a refusal that it got over', () => {
    const bad = result({ is_error: true, result: 'It broke.' });
    for (const events of [
      [limit('allowed_warning'), bad],
      [limit('rejected', { isUsingOverage: true }), bad],
      [limit('rejected'), limit('allowed'), bad],
      [limit('rejected'), used, bad],
    ]) {
      expect(outcomeOf(events, failed)).toMatchObject({ kind: 'failed', why: 'It broke.' });
    }
    expect(outcomeOf([limit('rejected'), used, result()])).toEqual({
      kind: 'finished',
      usage: expect.anything(),
    });
  });

  it('says of a success that is a refusal in words what it may have been', () => {
    expect(outcomeOf([result({ result: HIT })])).toMatchObject({ kind: 'finished', limit: { why: HIT } });
    const report = `I made the API answer 429 Too Many Requests. ${'It is tested. '.repeat(30)}`;
    expect(outcomeOf([result({ result: report })])).not.toHaveProperty('limit');
  });
});
