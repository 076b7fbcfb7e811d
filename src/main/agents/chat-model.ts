import type { ToolCall, Turn } from './conversation.ts';

/** A tool as a model is told of it. `parameters` is a JSON schema of an object. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };

export type ModelRequest = {
  system: string;
  turns: readonly Turn[];
  tools: readonly ToolSpec[];
  signal: AbortSignal;
  /** The server began to answer. */
  began(): void;
  /** Text as it comes. */
  onText(delta: string): void;
};

export type ModelAnswer = {
  text: string;
  calls: ToolCall[];
  /** `length`: cut at the model's output limit; `refused`: it will not go on. */
  stop: 'end' | 'tools' | 'length' | 'refused';
  inputTokens: number;
  outputTokens: number;
  /** By list price, where that is known. */
  costUsd?: number;
  /** The answer in the provider's own form, where it must come back unchanged. */
  native?: unknown;
};

/** One model behind one provider: turns in, one answer out. `ask` rejects with a `ModelError`, or whatever the signal throws. */
export interface ChatModel {
  /** For the pane. */
  label: string;
  /** How much of a conversation it is given. */
  contextTokens: number;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

/** Of a server's own words: enough that none of its secrets is halved before they are redacted and cut to what is shown. */
export const MOST_WORDS = 8 * 1024;

/**
 * Why a model gave no answer. `busy`: the same request may do later, after `retryAfterMs` where the server says so.
 * `refused`: the account, or the service for everybody, takes no more for a while; the same request may do later, too.
 * `missing`: it can't be had on this machine as things are, and the message says what to do.
 */
export class ModelError extends Error {
  readonly kind: 'busy' | 'refused' | 'failed' | 'missing';
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ModelError['kind'],
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}
