import { beforeEach, describe, expect, it } from 'vitest';
import { memoryDocument } from '../store/testing/memory-document.ts';
import { type AccountPauses, createAccountPauses, pauseAfter } from './account-pauses.ts';

const LOGIN = { id: 'claude-login', label: "Claude Code's login" };
const CODEX = { id: 'codex', label: 'the account of codex' };
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

let wallMs: number;
let monotonicMs: number;
let changes: number;
const clock = { now: () => wallMs, monotonic: () => monotonicMs };
const pass = (ms: number): void => {
  wallMs += ms;
  monotonicMs += ms;
};
const pausesOn = (document = memoryDocument()): AccountPauses =>
  createAccountPauses({
    document,
    clock,
    changed: () => {
      changes += 1;
    },
  });

beforeEach(() => {
  wallMs = Date.parse('2026-12-01T12:00:00Z');
  monotonicMs = 1_000;
  changes = 0;
});

describe('a paused account', () => {
  it('is paused until the time that was said, for every process, and no other account is', async () => {
    const document = memoryDocument();
    const here = pausesOn(document);
    const there = pausesOn(document);
    await here.limited(LOGIN, { why: 'limit reached', resetAt: wallMs + HOUR });
    expect(changes).toBe(1);
    expect([...(await there.refresh())]).toEqual([
      [
        'claude-login',
        {
          code: 'account-paused',
          account: 'claude-login',
          label: LOGIN.label,
          untilAt: wallMs + HOUR,
          why: 'limit reached',
        },
      ],
    ]);
    expect(there.of('codex')).toBeUndefined();
    expect(there.nextEndMs()).toBe(HOUR);
    pass(HOUR);
    expect((await there.refresh()).size).toBe(0);
    expect(there.nextEndMs()).toBeUndefined();
  });

  it('gives the same map while nothing changed, so that nobody judges the queue anew', async () => {
    const pauses = pausesOn();
    await pauses.limited(LOGIN, { why: 'limit', resetAt: wallMs + HOUR });
    const before = await pauses.refresh();
    pass(MINUTE);
    expect(await pauses.refresh()).toBe(before);
  });

  it('waits longer with each refusal in a row where no time was said, and anew after a success', async () => {
    const pauses = pausesOn();
    const waits: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { untilAt } = await pauses.limited(CODEX, { why: 'limit' });
      waits.push((untilAt - wallMs) / MINUTE);
      // Others that were refused in the same moment say nothing new.
      await pauses.limited(CODEX, { why: 'limit' });
      pass(untilAt - wallMs);
    }
    expect(waits).toEqual([1, 5, 15, 30, 60, 60]);
    await pauses.worked(CODEX);
    expect((await pauses.limited(CODEX, { why: 'limit' })).untilAt - wallMs).toBe(MINUTE);
  });

  it('takes the latest time that was said, and is not asked at once where it says the past again', async () => {
    const pauses = pausesOn();
    await pauses.limited(LOGIN, { why: 'five hours', resetAt: wallMs + HOUR });
    await pauses.limited(LOGIN, { why: 'week', resetAt: wallMs + 50 * HOUR });
    await pauses.limited(LOGIN, { why: 'five hours', resetAt: wallMs + HOUR });
    expect(pauses.list()).toMatchObject([{ why: 'week', untilAt: wallMs + 50 * HOUR, refusals: 1 }]);
    const waits = [1, 2, 3].map((refusals) => {
      const before = { ...CODEX, why: '', sinceAt: 0, untilAt: 0, refusals: refusals - 1 };
      return (
        pauseAfter(refusals === 1 ? undefined : before, CODEX, { why: '', resetAt: wallMs - HOUR }, wallMs)
          .untilAt - wallMs
      );
    });
    expect(waits).toEqual([SECOND, 10 * SECOND, MINUTE]);
  });

  it('is no longer paused than was said when the clock is set back, and no more when the machine slept past it', async () => {
    const pauses = pausesOn();
    await pauses.limited(LOGIN, { why: 'limit', resetAt: wallMs + HOUR });
    wallMs -= 48 * HOUR;
    expect(pauses.leftMs('claude-login')).toBe(HOUR);
    monotonicMs += HOUR;
    expect(pauses.of('claude-login')).toBeUndefined();
    await pauses.limited(CODEX, { why: 'limit', resetAt: wallMs + HOUR });
    wallMs += HOUR;
    expect(pauses.of('codex')).toBeUndefined();
  });

  it('keeps a time that nobody means within a month', async () => {
    const { untilAt } = await pausesOn().limited(LOGIN, { why: 'limit', resetAt: wallMs + 1e13 });
    expect(untilAt - wallMs).toBe(32 * 24 * HOUR);
  });

  it('is resumed by a person', async () => {
    const document = memoryDocument();
    const pauses = pausesOn(document);
    await pauses.limited(LOGIN, { why: 'limit', resetAt: wallMs + HOUR });
    expect(await pausesOn(document).resume('claude-login')).toBe(true);
    expect(await pausesOn(document).resume('claude-login')).toBe(false);
    expect((await pauses.refresh()).size).toBe(0);
  });

  it('is none where what is stored cannot be read', async () => {
    expect((await pausesOn(memoryDocument([{ id: 1 }])).refresh()).size).toBe(0);
    const pauses = pausesOn(memoryDocument('nonsense'));
    await pauses.limited(LOGIN, { why: 'limit', resetAt: wallMs + HOUR });
    expect((await pauses.refresh()).size).toBe(1);
  });
});
