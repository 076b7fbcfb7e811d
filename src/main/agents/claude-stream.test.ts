import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaudeEvent, ClaudeStream } from './claude-stream.ts';

const assistant = (id: string, content: unknown, output = 5): string =>
  JSON.stringify({
    type: 'assistant',
    message: { id, content, usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: output } },
  });
const lines = [
  JSON.stringify({ type: 'system', subtype: 'init' }),
  assistant('m1', [{ type: 'text', text: 'Ich prüfe 漢字 😀' }]),
  assistant('m1', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } }]),
  JSON.stringify({
    type: 'user',
    message: {
      content: [{ type: 'tool_result', is_error: true, content: [{ type: 'text', text: 'Exit code 1' }] }],
    },
  }),
  'npm warn something',
  assistant('m2', [{ type: 'text', text: 'Done.' }]),
  JSON.stringify({ type: 'a_new_event', data: 1 }),
  JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Done.',
    num_turns: 2,
    duration_ms: 1000,
    duration_api_ms: 700,
    total_cost_usd: 0.01,
    usage: { input_tokens: 20, cache_read_input_tokens: 180, output_tokens: 40 },
    permission_denials: [{ tool_name: 'Write', tool_use_id: 'x', tool_input: {} }],
  }),
];
const expected: ClaudeEvent[] = [
  { kind: 'text', text: 'Ich prüfe 漢字 😀' },
  { kind: 'usage', usage: { rounds: 1, toolCalls: 0, inputTokens: 100, outputTokens: 5 } },
  { kind: 'tool', name: 'Bash', input: { command: 'npm test' } },
  { kind: 'usage', usage: { rounds: 1, toolCalls: 1, inputTokens: 100, outputTokens: 5 } },
  { kind: 'tool-error', text: 'Exit code 1' },
  { kind: 'noise', text: 'npm warn something' },
  { kind: 'text', text: 'Done.' },
  { kind: 'usage', usage: { rounds: 2, toolCalls: 1, inputTokens: 200, outputTokens: 10 } },
  {
    kind: 'result',
    ok: true,
    text: 'Done.',
    denied: ['Write'],
    usage: {
      rounds: 2,
      toolCalls: 1,
      inputTokens: 200,
      outputTokens: 40,
      costUsd: 0.01,
      modelMs: 700,
      toolMs: 300,
    },
  },
];

const read = (text: string): ClaudeEvent[] => {
  const stream = new ClaudeStream();
  return [...stream.push(Buffer.from(text)), ...stream.end()];
};

describe('ClaudeStream', () => {
  it('gives the same events however the bytes are cut', () => {
    const bytes = Buffer.from(lines.join('\r\n'));
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const stream = new ClaudeStream();
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const events = places.slice(1).flatMap((to, index) => stream.push(bytes.subarray(places[index], to)));
        expect([...events, ...stream.end()]).toEqual(expected);
      }),
    );
  });

  it('passes over a line without end and goes on behind it', () => {
    const stream = new ClaudeStream();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 20; count += 1) expect(stream.push(chunk)).toEqual([]);
    expect(stream.push(Buffer.from(`\n${assistant('m', [{ type: 'text', text: 'after' }])}\n`))[0]).toEqual({
      kind: 'text',
      text: 'after',
    });
  });

  it('does not stumble over events of another shape', () => {
    for (const value of [
      null,
      1,
      [],
      { type: 'assistant' },
      { type: 'assistant', message: { content: 'text' } },
    ]) {
      expect(() => read(JSON.stringify(value))).not.toThrow();
    }
  });
});

describe('what an account is told to be at', () => {
  const info = (more: object): string =>
    JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { rateLimitType: 'five_hour', ...more } });

  it.each([
    [
      { status: 'rejected', resetsAt: 1_780_000_000 },
      { rejected: true, resetAt: 1_780_000_000_000 },
    ],
    [
      { status: 'rejected', resetsAt: 1_780_000_000_000 },
      { rejected: true, resetAt: 1_780_000_000_000 },
    ],
    [
      { status: 'rejected', resetsAt: '2026-05-28T20:26:40Z' },
      { rejected: true, resetAt: 1_780_000_000_000 },
    ],
    [{ status: 'denied', resetsAt: null }, { rejected: true }],
    [
      { status: 'allowed_warning', resetsAt: 1_780_000_000, utilization: 0.9 },
      { rejected: false, resetAt: 1_780_000_000_000 },
    ],
    [{ status: 'rejected', isUsingOverage: true, resetsAt: 'soon' }, { rejected: false }],
  ])('reads %j', (event, expected) => {
    expect(read(info(event))).toEqual([{ kind: 'limit', ...expected }]);
  });

  it('is found where it was printed into the middle of another line', () => {
    const broken = `{"type":"assistant","message":{"content":[{"type":"text","text":"half${info({ status: 'rejected' })}`;
    expect(read(broken)[0]).toEqual({ kind: 'limit', rejected: true });
  });

  it('is told of a request that is sent again', () => {
    const line = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      retry_delay_ms: 3000,
      error_status: 429,
    };
    expect(read(JSON.stringify(line))).toEqual([{ kind: 'retry', status: 429, waitMs: 3000 }]);
  });
});
