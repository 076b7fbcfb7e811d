import { ModelError } from './chat-model.ts';

export type RetryPolicy = {
  /** Tries of one request in all. */
  maxTries: number;
  /** Wait before the second try; doubled for each further one. */
  baseMs: number;
  maxMs: number;
  /** A server that asks for a longer wait is not waited for. */
  maxRetryAfterMs: number;
};

export const RETRY_POLICY: RetryPolicy = {
  maxTries: 5,
  baseMs: 1_000,
  maxMs: 30_000,
  maxRetryAfterMs: 5 * 60_000,
};

export type RetryDecision = { kind: 'wait'; waitMs: number } | { kind: 'give-up'; why: string };

/** Pure: what to do after try number `tried` (from 1) ended with this error. `random` is from 0 to 1. */
export function decideRetry(
  error: unknown,
  tried: number,
  leftMs: number,
  random: number,
  policy: RetryPolicy = RETRY_POLICY,
): RetryDecision {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ModelError) || error.kind !== 'busy') return { kind: 'give-up', why: text };
  if (tried >= policy.maxTries) return { kind: 'give-up', why: `${text} (after ${tried} tries)` };
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs > policy.maxRetryAfterMs) {
    return {
      kind: 'give-up',
      why: `${text} (the server asks to come back in ${Math.ceil(retryAfterMs / 1000)} s)`,
    };
  }
  const backoffMs = Math.min(policy.maxMs, policy.baseMs * 2 ** (tried - 1)) * (0.75 + 0.5 * random);
  const waitMs = Math.round(Math.max(retryAfterMs ?? 0, backoffMs));
  if (waitMs >= leftMs) {
    return {
      kind: 'give-up',
      why: `${text} (no time is left to try again in ${Math.ceil(waitMs / 1000)} s)`,
    };
  }
  return { kind: 'wait', waitMs };
}

/** Pure: the wait that a response's headers ask for; undefined where they do not, or not in a way that can be read. */
export function retryAfterMs(
  headers: { get(name: string): string | null } | undefined,
  now: number,
): number | undefined {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Pure: true for a status after which the same request may succeed later. */
export function isBusyStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
