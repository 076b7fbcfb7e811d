import { describe, expect, it } from 'vitest';
import type { Cause } from '../../shared/cause.ts';
import type { Attempt } from '../../shared/domain.ts';
import { backoffCause, decideRetry, exhausted } from './retry-policy.ts';
import { isUnreachable } from './stages/install-stage.ts';

const NO_SLOT: Cause = { code: 'no-slot', why: 'the disk is full' };
const CONFLICT: Cause = { code: 'merge-conflict', files: ['a'] };
const LOST: Cause = { code: 'runner-lost', why: 'its process ended' };

const attempt = (number: number, outcome: Attempt['outcome'], cause?: Cause): Attempt => ({
  jobId: 'j',
  number,
  runnerId: 'r',
  startedAt: 0,
  stages: [],
  gates: [],
  outcome,
  ...(cause ? { cause } : {}),
});
const decide = (cause: Cause, earlier: Attempt[] = [], jitter = 0) =>
  decideRetry({ cause, earlier, maxAttempts: 3, nowMs: 1_000_000, jitter });

describe('an attempt that did not merge', () => {
  it.each<Cause>([
    { code: 'gate-red', step: 'test', why: '1 failed' },
    { code: 'agent-failed', why: 'exit 1' },
    { code: 'no-changes' },
    { code: 'timeout', stage: 'agent', limitMs: 1 },
    { code: 'install-failed', why: 'no such package' },
    { code: 'not-started', limitMs: 1 },
    { code: 'internal', why: 'broken' },
  ])('ends its job for good where another would end the same way: $code', (cause) => {
    expect(decide(cause)).toEqual({ kind: 'final' });
  });

  it('is followed by another one after a pause that grows, where the cause may pass', () => {
    const once = [attempt(1, 'requeued', NO_SLOT)];
    expect(decide(NO_SLOT)).toEqual({ kind: 'again', notBeforeAt: 1_001_000 });
    expect(decide(NO_SLOT, once)).toEqual({ kind: 'again', notBeforeAt: 1_010_000 });
    expect(decide(NO_SLOT, [...once, attempt(2, 'requeued', NO_SLOT)])).toEqual({ kind: 'final' });
  });

  it('waits shorter by up to half, as the jitter says', () => {
    expect(decide(NO_SLOT, [], 1)).toEqual({ kind: 'again', notBeforeAt: 1_000_500 });
    expect(decide(NO_SLOT, [], 0.5)).toEqual({ kind: 'again', notBeforeAt: 1_000_750 });
  });

  it('is followed at once where only the base has moved', () => {
    expect(decide(CONFLICT)).toEqual({ kind: 'again', notBeforeAt: undefined });
  });

  it('does not pay for attempts that were lost or stopped, nor for those before a person reopened the job', () => {
    const lost = [attempt(1, 'lost'), attempt(2, 'requeued', LOST), attempt(3, 'lost')];
    expect(decide(CONFLICT, lost).kind).toBe('again');
    const reopened = [
      attempt(1, 'requeued', CONFLICT),
      attempt(2, 'requeued', CONFLICT),
      attempt(3, 'held', { code: 'conflicts-remain', files: ['a'], attempts: 3 }),
      attempt(4, 'requeued', CONFLICT),
    ];
    expect(decide(CONFLICT, reopened).kind).toBe('again');
  });

  it('leaves a conflict to a person when its tries are used up, and fails with its cause otherwise', () => {
    expect(exhausted(CONFLICT, 5)).toEqual({
      outcome: 'held',
      cause: { code: 'conflicts-remain', files: ['a'], attempts: 5 },
    });
    expect(exhausted(NO_SLOT, 3)).toEqual({ outcome: 'failed', cause: NO_SLOT });
  });

  it('is held where the disk stays full: it goes on when there is room', () => {
    const full: Cause = { code: 'disk-full', path: '/data', why: 'No space left on device' };
    expect(exhausted(full, 3)).toEqual({ outcome: 'held', cause: full });
  });

  it('says why the pause is', () => {
    expect(backoffCause(NO_SLOT, 5)).toEqual({
      code: 'backoff',
      untilAt: 5,
      why: 'no slot: the disk is full',
    });
  });
});

describe('an install that failed', () => {
  it.each([
    'npm ci ended with exit code 1: npm error code ECONNRESET',
    'npm error code EAI_AGAIN · npm error request to https://registry.example failed',
    'npm ci ended with exit code 1: npm error code E503',
    'pnpm install ended with exit code 1: ERR_PNPM_META_FETCH_FAIL GET https://registry.example',
    'npm error code ERR_SOCKET_TIMEOUT',
    'npm error network Socket hang up',
  ])('for want of a network may go well another time: %s', (why) => {
    expect(isUnreachable(why)).toBe(true);
  });

  it.each([
    'npm ci ended with exit code 1: npm error code E404',
    'lockfile out of date: package-lock.json does not fit package.json (npm ci)',
    'npm ci ended with exit code 1: npm error code ERESOLVE',
    'setup.sh ended with exit code 1: 503 tests failed to compile',
  ])('for another reason does not: %s', (why) => {
    expect(isUnreachable(why)).toBe(false);
  });
});
