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
  if (!(error instanceof ModelError) || (error.kind !== 'busy' && error.kind !== 'refused'))
    return { kind: 'give-up', why: text };
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

/** Pure: true for a status after which the same request may succeed later. */
export function isBusyStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Pure: true for a status that says so of the account, or of a service that has no room for anybody. */
export function isRefusedStatus(status: number): boolean {
  return status === 429 || status === 529;
}
