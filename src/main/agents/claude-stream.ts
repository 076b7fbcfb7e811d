import { z } from 'zod';
import type { Usage } from '../../shared/domain.ts';
import { later } from '../../shared/later.ts';
import { epochMs } from '../limits/reset-time.ts';
import { LineReader } from './lines.ts';

/** What the command line `claude -p --output-format stream-json` says, reduced to what Headway needs. */
export type ClaudeEvent =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string; input: Record<string, unknown> }
  | { kind: 'tool-error'; text: string }
  | { kind: 'usage'; usage: Usage }
  /** `status`: of the refusal that it reports, as HTTP gives it. */
  | { kind: 'result'; ok: boolean; text: string; usage: Usage; denied: string[]; status?: number }
  /** Where the account stands. `rejected`: its requests are refused until `resetAt`. */
  | { kind: 'limit'; rejected: boolean; resetAt?: number }
  /** A request was refused, and is sent again after so long. */
  | { kind: 'retry'; status: number | undefined; waitMs: number }
  /** A line that is no event: a warning, or a message of a shell around it. */
  | { kind: 'noise'; text: string };

/** A Write of a whole file comes as one line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

const count = later(() => z.number().nonnegative().catch(0));
const tokens = later(() =>
  z
    .object({
      input_tokens: count.optional(),
      output_tokens: count.optional(),
      cache_creation_input_tokens: count.optional(),
      cache_read_input_tokens: count.optional(),
    })
    .catch({}),
);
const block = later(() =>
  z
    .object({
      type: z.string(),
      text: z.string().optional(),
      name: z.string().optional(),
      input: z.record(z.string(), z.unknown()).optional().catch({}),
      is_error: z.boolean().optional().catch(false),
      content: z.unknown().optional(),
    })
    .catch({ type: 'unknown' }),
);
const message = later(() =>
  z.object({
    message: z.object({
      id: z.string().optional(),
      content: z.union([z.array(block), z.string().transform(() => [])]).catch([]),
      usage: tokens.optional(),
    }),
  }),
);
const result = later(() =>
  z.object({
    subtype: z.string().catch('unknown'),
    is_error: z.boolean().catch(false),
    api_error_status: z.number().nullish().catch(undefined),
    result: z.string().optional().catch(undefined),
    errors: z.array(z.string()).optional().catch(undefined),
    num_turns: count.optional(),
    duration_ms: count.optional(),
    duration_api_ms: count.optional(),
    total_cost_usd: z.number().nonnegative().optional().catch(undefined),
    usage: tokens.optional(),
    permission_denials: z
      .array(z.object({ tool_name: z.string() }))
      .optional()
      .catch([]),
  }),
);

/** A time as seconds or milliseconds since 1970, or in words of ISO. */
const moment = later(() =>
  z
    .union([
      z.number(),
      z.string().transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text))),
    ])
    .nullish()
    .catch(undefined),
);
const limit = later(() =>
  z.object({
    rate_limit_info: z.object({
      status: z.string(),
      resetsAt: moment,
      isUsingOverage: z.boolean().optional().catch(undefined),
    }),
  }),
);
const retry = later(() =>
  z.object({
    subtype: z.literal('api_retry'),
    retry_delay_ms: count,
    error_status: z.number().nullish().catch(undefined),
  }),
);

const inputTokens = (from: z.infer<typeof tokens> | undefined): number =>
  (from?.input_tokens ?? 0) + (from?.cache_creation_input_tokens ?? 0) + (from?.cache_read_input_tokens ?? 0);

/**
 * Reads the stream, however it is chunked. Unknown events are passed over, so that a newer `claude` does not break it;
 * sums are by message id, since one message comes as several events.
 */
export class ClaudeStream {
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  readonly #inputByMessage = new Map<string, number>();
  readonly #outputByMessage = new Map<string, number>();
  #toolCalls = 0;

  push(bytes: Uint8Array): ClaudeEvent[] {
    return this.#lines.push(bytes).flatMap((line) => this.#read(line));
  }

  end(): ClaudeEvent[] {
    return this.#lines.end().flatMap((line) => this.#read(line));
  }

  #read(line: string): ClaudeEvent[] {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // It is also printed into the middle of another line.
      const inside = /\{"type":"rate_limit_event".*\}$/.exec(line)?.[0];
      const limits = inside === undefined || inside === line ? [] : this.#read(inside);
      return [...limits, { kind: 'noise', text: line }];
    }
    const type = (value as { type?: unknown } | null)?.type;
    if (type === 'assistant') return this.#assistant(value);
    if (type === 'user') return toolErrors(value);
    if (type === 'result') return this.#result(value);
    if (type === 'rate_limit_event') return limitEvents(value);
    if (type === 'system') return retryEvents(value);
    return [];
  }

  #assistant(value: unknown): ClaudeEvent[] {
    const parsed = message.safeParse(value);
    if (!parsed.success) return [];
    const { id = '', content, usage } = parsed.data.message;
    const events: ClaudeEvent[] = [];
    for (const each of content) {
      if (each.type === 'text' && each.text) events.push({ kind: 'text', text: each.text });
      if (each.type === 'tool_use') {
        this.#toolCalls += 1;
        events.push({ kind: 'tool', name: each.name ?? 'tool', input: each.input ?? {} });
      }
    }
    this.#inputByMessage.set(id, inputTokens(usage));
    this.#outputByMessage.set(id, usage?.output_tokens ?? 0);
    events.push({ kind: 'usage', usage: this.#sums() });
    return events;
  }

  #sums(): Usage {
    const sum = (values: Map<string, number>): number => [...values.values()].reduce((a, b) => a + b, 0);
    return {
      rounds: this.#inputByMessage.size,
      toolCalls: this.#toolCalls,
      inputTokens: sum(this.#inputByMessage),
      outputTokens: sum(this.#outputByMessage),
    };
  }

  #result(value: unknown): ClaudeEvent[] {
    const parsed = result.safeParse(value);
    if (!parsed.success) return [];
    const { data } = parsed;
    const sums = this.#sums();
    const modelMs = data.duration_api_ms;
    const toolMs =
      data.duration_ms !== undefined && modelMs !== undefined
        ? Math.max(0, data.duration_ms - modelMs)
        : undefined;
    const usage: Usage = {
      rounds: data.num_turns || sums.rounds,
      toolCalls: sums.toolCalls,
      inputTokens: inputTokens(data.usage) || sums.inputTokens,
      outputTokens: data.usage?.output_tokens || sums.outputTokens,
      ...(data.total_cost_usd === undefined ? {} : { costUsd: data.total_cost_usd }),
      ...(modelMs === undefined ? {} : { modelMs }),
      ...(toolMs === undefined ? {} : { toolMs }),
    };
    const ok = !data.is_error && data.subtype === 'success';
    const text = data.result || data.errors?.join('; ') || data.subtype.replaceAll('_', ' ');
    const denied = [...new Set((data.permission_denials ?? []).map((each) => each.tool_name))];
    const status = data.api_error_status == null ? {} : { status: data.api_error_status };
    return [{ kind: 'result', ok, text, usage, denied, ...status }];
  }
}

function limitEvents(value: unknown): ClaudeEvent[] {
  const parsed = limit.safeParse(value);
  if (!parsed.success) return [];
  const { status, resetsAt, isUsingOverage } = parsed.data.rate_limit_info;
  const rejected = (status === 'rejected' || status === 'denied') && isUsingOverage !== true;
  const resetAt = typeof resetsAt === 'number' ? epochMs(resetsAt) : undefined;
  return [{ kind: 'limit', rejected, ...(resetAt === undefined ? {} : { resetAt }) }];
}

function retryEvents(value: unknown): ClaudeEvent[] {
  const parsed = retry.safeParse(value);
  if (!parsed.success) return [];
  return [
    { kind: 'retry', status: parsed.data.error_status ?? undefined, waitMs: parsed.data.retry_delay_ms },
  ];
}

function toolErrors(value: unknown): ClaudeEvent[] {
  const parsed = message.safeParse(value);
  if (!parsed.success) return [];
  return parsed.data.message.content
    .filter((each) => each.type === 'tool_result' && each.is_error)
    .map((each) => ({ kind: 'tool-error', text: contentText(each.content) }));
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((each) => String((each as { text?: unknown } | null)?.text ?? '')).join('\n');
}
