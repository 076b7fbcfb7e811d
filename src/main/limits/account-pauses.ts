import { z } from 'zod';
import type { Cause } from '../../shared/cause.ts';
import { later } from '../../shared/later.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time.ts';
import type { SharedDocument } from '../store/store.ts';
import type { UsageLimit } from './usage-limit.ts';

/** Whose limits an agent's work counts for: a login or a key. `id` says nothing secret. */
export type Account = { id: string; label: string };

/**
 * One account that takes no more work for now. `refusals` counts the pauses in a row, without a success between them.
 * Both times are wall-clock times, because that is what a service names.
 */
const pauseSchema = later(() =>
  z.object({
    id: z.string(),
    label: z.string(),
    why: z.string(),
    sinceAt: z.number(),
    untilAt: z.number(),
    refusals: z.number().int().positive(),
  }),
);
export type AccountPause = z.infer<typeof pauseSchema>;
const documentSchema = later(() => z.array(pauseSchema).catch([]));

/** Where no time was said: the pause after each refusal in a row; the last one repeats. */
const UNTOLD_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];
/** Where the time that was said has come already: a service that names the past again and again is not asked at once each time. */
const PASSED_MS = [SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
/** The longest windows of accounts are months. What says more was read wrong, or by a clock that is. */
const LONGEST_MS = 32 * DAY_MS;

const nth = (list: readonly number[], count: number): number => list[Math.min(count, list.length) - 1] ?? 0;

/**
 * Pure: the pause that a refusal begins. Several agents of one account are refused at the same moment: that is one pause,
 * and the latest time that was said counts.
 */
export function pauseAfter(
  before: AccountPause | undefined,
  account: Account,
  limit: UsageLimit,
  nowMs: number,
): AccountPause {
  const holds = before !== undefined && before.untilAt > nowMs && before.sinceAt <= nowMs;
  if (holds && limit.resetAt === undefined) return before;
  const refusals = holds ? before.refusals : (before?.refusals ?? 0) + 1;
  const untilAt = nowMs + waitMs(limit, refusals, nowMs);
  // A window of hours may be full inside one of days. What differs by less was said by somebody who had it from here.
  if (holds && before.untilAt >= untilAt - SECOND_MS) return before;
  return { ...account, why: limit.why, sinceAt: holds ? before.sinceAt : nowMs, untilAt, refusals };
}

function waitMs({ resetAt }: UsageLimit, refusals: number, nowMs: number): number {
  if (resetAt === undefined) return nth(UNTOLD_MS, refusals);
  const leftMs = resetAt - nowMs;
  return leftMs < SECOND_MS ? nth(PASSED_MS, refusals) : Math.min(LONGEST_MS, leftMs);
}

export const pauseCause = ({ id, label, why, untilAt }: AccountPause): Cause => ({
  code: 'account-paused',
  account: id,
  label,
  untilAt,
  why,
});

/**
 * Accounts that are paused until their usage limit resets, for every process on the data directory. Nobody's job is
 * started that would only be refused.
 */
export interface AccountPauses {
  /** Reads what other processes have written; answers with what holds now, by account. */
  refresh(): Promise<ReadonlyMap<string, Cause>>;
  /** Those that hold, as of the last look. */
  list(): AccountPause[];
  of(accountId: string): AccountPause | undefined;
  /** How long that one holds from now; undefined: it is not paused. */
  leftMs(accountId: string): number | undefined;
  /** How long until the first of them ends; undefined: none holds. */
  nextEndMs(): number | undefined;
  /** An agent was refused. Answers with the pause that holds from now. */
  limited(account: Account, limit: UsageLimit): Promise<AccountPause>;
  /** An agent did its work: the account is well. */
  worked(account: Account): Promise<void>;
  /** A person ends it before its time. False: it is not paused. */
  resume(accountId: string): Promise<boolean>;
}

export function createAccountPauses(options: {
  document: SharedDocument;
  clock: { now(): number; monotonic(): number };
  /** Something changed: look at the queue. */
  changed(): void;
}): AccountPauses {
  const { document, clock } = options;
  let known: AccountPause[] = [];
  let causes: ReadonlyMap<string, Cause> = new Map();
  let told = '[]';
  /** When each pause was first seen here: a wall clock that is set back does not make it longer. */
  const seen = new Map<string, { untilAt: number; monotonicMs: number }>();

  const take = (stored: unknown): AccountPause[] => {
    known = documentSchema.parse(stored ?? []);
    for (const id of seen.keys()) if (!known.some((pause) => pause.id === id)) seen.delete(id);
    for (const { id, untilAt } of known) {
      if (seen.get(id)?.untilAt !== untilAt) seen.set(id, { untilAt, monotonicMs: clock.monotonic() });
    }
    return known;
  };
  const leftMs = ({ id, sinceAt, untilAt }: AccountPause): number => {
    const passedMs = clock.monotonic() - (seen.get(id)?.monotonicMs ?? 0);
    return Math.min(untilAt - clock.now(), untilAt - sinceAt - passedMs);
  };
  const list = (): AccountPause[] => known.filter((pause) => leftMs(pause) > 0);
  const change = <T>(body: (pauses: AccountPause[]) => { pauses: AccountPause[]; result: T }): Promise<T> =>
    document
      .change((stored) => {
        const { pauses, result } = body(take(stored));
        return { document: pauses, result: { result, pauses } };
      })
      .then(({ result, pauses }) => {
        take(pauses);
        options.changed();
        return result;
      });

  return {
    async refresh() {
      take(await document.read());
      const holding = list();
      const text = JSON.stringify(holding);
      // The same map while nothing changed: a pass judges all anew for another one.
      if (text !== told) causes = new Map(holding.map((pause) => [pause.id, pauseCause(pause)]));
      told = text;
      return causes;
    },
    list,
    of: (accountId) => list().find((pause) => pause.id === accountId),
    leftMs(accountId) {
      const pause = list().find(({ id }) => id === accountId);
      return pause && leftMs(pause);
    },
    nextEndMs() {
      const lefts = list().map(leftMs);
      return lefts.length === 0 ? undefined : Math.min(...lefts);
    },
    limited: (account, limit) =>
      change((pauses) => {
        const others = pauses.filter((pause) => pause.id !== account.id);
        const before = pauses.find((pause) => pause.id === account.id);
        const pause = pauseAfter(before, account, limit, clock.now());
        return { pauses: [...others, pause], result: pause };
      }),
    async worked(account) {
      // Most have none: no transaction for them. One that holds was told later than this work began.
      const pause = known.find(({ id }) => id === account.id);
      if (!pause || leftMs(pause) > 0) return;
      await change((pauses) => ({
        pauses: pauses.filter((each) => each.id !== account.id || each.untilAt > pause.untilAt),
        result: undefined,
      }));
    },
    resume: (accountId) =>
      change((pauses) => {
        const rest = pauses.filter((pause) => pause.id !== accountId);
        return { pauses: rest, result: rest.length < pauses.length };
      }),
  };
}
