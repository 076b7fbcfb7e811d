import { type Cause, explainCause } from '../../shared/cause.ts';
import type { Attempt } from '../../shared/domain.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/time.ts';

/**
 * Causes that the same job may get over by itself, each with the pauses before its second, third … try; the last one
 * repeats. Every other cause is final: trying again would give the same answer.
 */
const PAUSES_MS: { readonly [Code in Cause['code']]?: readonly number[] } = {
  // The next attempt begins on the new base: there is nothing to wait for.
  'merge-conflict': [0],
  busy: [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS],
  'fetch-failed': [SECOND_MS, 10 * SECOND_MS, MINUTE_MS],
  'disk-full': [SECOND_MS, 10 * SECOND_MS, MINUTE_MS],
  'no-slot': [SECOND_MS, 10 * SECOND_MS, MINUTE_MS],
  'install-unreachable': [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS],
};

/** A pause is shortened by up to this part of it, so that jobs which failed together do not come back together. */
const JITTER_SHARE = 0.5;

export type RetryDecision = { kind: 'final' } | { kind: 'again'; notBeforeAt: number | undefined };

/**
 * What becomes of a job whose attempt ended with `cause`. `earlier` are the attempts before this one: those that were
 * lost, stopped or ended for another reason do not count. `jitter` is a number from 0 up to 1.
 */
export function decideRetry(options: {
  cause: Cause;
  earlier: readonly Attempt[];
  maxAttempts: number;
  nowMs: number;
  jitter: number;
}): RetryDecision {
  const pauses = PAUSES_MS[options.cause.code];
  if (!pauses) return { kind: 'final' };
  const tries = countedTries(options.earlier);
  if (tries + 1 >= options.maxAttempts) return { kind: 'final' };
  const pauseMs = pauses[Math.min(tries, pauses.length - 1)] ?? 0;
  if (pauseMs === 0) return { kind: 'again', notBeforeAt: undefined };
  return {
    kind: 'again',
    notBeforeAt: options.nowMs + Math.round(pauseMs * (1 - JITTER_SHARE * options.jitter)),
  };
}

/** Attempts since the last reopening that asked for another one. */
function countedTries(earlier: readonly Attempt[]): number {
  let tries = 0;
  for (const attempt of earlier) {
    const { outcome, cause } = attempt;
    if (outcome === 'requeued' && cause && PAUSES_MS[cause.code]) tries += 1;
    else if (outcome === 'failed' || outcome === 'held' || outcome === 'cancelled') tries = 0;
  }
  return tries;
}

/** What a job is left with that has used up its tries. */
export function exhausted(cause: Cause, attempts: number): { outcome: 'failed' | 'held'; cause: Cause } {
  if (cause.code === 'merge-conflict')
    return { outcome: 'held', cause: { code: 'conflicts-remain', files: cause.files, attempts } };
  // Room may come at any time: it is looked for as long as the job is held.
  return { outcome: cause.code === 'disk-full' ? 'held' : 'failed', cause };
}

export const backoffCause = (cause: Cause, untilAt: number): Cause => ({
  code: 'backoff',
  untilAt,
  why: explainCause(cause).text,
});
