import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { later } from '../../shared/later.ts';
import type { SharedDocument } from '../store/store.ts';
import { patiently } from './patiently.ts';

/**
 * What every process on the data directory knows about calls to a service. Times are milliseconds of the machine's own
 * monotonic clock, which all processes read alike and which begins anew when the machine does.
 */
const callStateSchema = later(() =>
  z.object({
    running: z.array(z.object({ id: z.string(), by: z.string(), startedMs: z.number() })),
    lastStartMs: z.number().optional(),
    pause: z.object({ fromMs: z.number(), waitMs: z.number() }).optional(),
  }),
);
export type CallState = z.infer<typeof callStateSchema>;

export type CallLimits = { atOnce: number; gapMs: number; longestMs: number };

/** No call takes longer: a process that sleeps in one counts for no more than this. */
export const CALL_TIMEOUT_MS = 60_000;
const LIMITS: CallLimits = { atOnce: 2, gapMs: 250, longestMs: CALL_TIMEOUT_MS + 30_000 };
/** A call of another process may end at any time. */
const LOOK_MS = 200;
/** A longer timer of Node's fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Pure: what still counts. What lies ahead of us was written before the machine began anew; a pause then begins anew, too. */
export function currentState(stored: unknown, nowMs: number, limits: CallLimits = LIMITS): CallState {
  const { running, lastStartMs, pause } = callStateSchema.safeParse(stored).data ?? { running: [] };
  return {
    running: running.filter(({ startedMs }) => startedMs <= nowMs && startedMs + limits.longestMs > nowMs),
    ...(lastStartMs === undefined || lastStartMs > nowMs ? {} : { lastStartMs }),
    ...(pause === undefined || pauseLeftMs({ running, pause }, nowMs) === 0
      ? {}
      : { pause: { ...pause, fromMs: Math.min(pause.fromMs, nowMs) } }),
  };
}

const pauseLeftMs = ({ pause }: CallState, nowMs: number): number =>
  pause === undefined ? 0 : Math.max(0, Math.min(pause.fromMs, nowMs) + pause.waitMs - nowMs);

type Decision = { kind: 'start' } | { kind: 'wait'; untilMs: number | undefined };

/** Pure: may a call start now, or when is the next look? `undefined`: when a running one ends. */
export function decideCall(state: CallState, nowMs: number, limits: CallLimits = LIMITS): Decision {
  const gapEndMs = state.lastStartMs === undefined ? nowMs : state.lastStartMs + limits.gapMs;
  const untilMs = Math.max(nowMs + pauseLeftMs(state, nowMs), gapEndMs);
  if (untilMs > nowMs) return { kind: 'wait', untilMs };
  return state.running.length < limits.atOnce ? { kind: 'start' } : { kind: 'wait', untilMs: undefined };
}

const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/**
 * One gate for all calls to a source-control service, whichever process on the data directory makes them: few at once, a gap
 * between them, and a pause that holds for all. Within a process in order of asking.
 */
export class CallLimiter {
  readonly #shared: SharedDocument;
  readonly #owner: string;
  readonly #now: () => number;
  #tail: Promise<unknown> = Promise.resolve();
  #ended = Promise.withResolvers<void>();

  /** `owner` names this process among those that share the document. */
  constructor(shared: SharedDocument, owner: string, now: () => number = machineMs) {
    this.#shared = shared;
    this.#owner = owner;
    this.#now = now;
  }

  /** How long calls are paused from now; 0: they are not. */
  pausedMs(signal: AbortSignal): Promise<number> {
    return this.#change(signal, (state, nowMs) => ({ state, result: pauseLeftMs(state, nowMs) }));
  }

  /** Holds every call for so long; a longer pause that holds already stays. */
  pause(waitMs: number, signal: AbortSignal): Promise<void> {
    return this.#change(signal, (state, nowMs) => ({
      state: pauseLeftMs(state, nowMs) >= waitMs ? state : { ...state, pause: { fromMs: nowMs, waitMs } },
      result: undefined,
    }));
  }

  /** The calls of processes that are gone are over. */
  forget(owners: readonly string[]): Promise<void> {
    return this.#change(AbortSignal.abort(), (state) => ({
      state: { ...state, running: state.running.filter(({ by }) => !owners.includes(by)) },
      result: undefined,
    }));
  }

  /** Runs the call when it is its turn. Rejects with the signal's reason where it comes first. */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const id = crypto.randomUUID();
    const turn = this.#tail.then(() => this.#start(id, signal));
    this.#tail = turn.catch(() => undefined);
    await turn;
    try {
      return await call();
    } finally {
      const over = (state: CallState) => ({
        ...state,
        running: state.running.filter((one) => one.id !== id),
      });
      // Where it cannot be written down it is counted for as long as any call may take.
      await this.#change(AbortSignal.abort(), (state) => ({ state: over(state), result: undefined })).catch(
        () => undefined,
      );
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    }
  }

  async #start(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const decision = await this.#change<Decision>(signal, (state, nowMs) => {
        const result = decideCall(state, nowMs);
        if (result.kind === 'wait') return { state, result };
        const running = [...state.running, { id, by: this.#owner, startedMs: nowMs }];
        return { state: { ...state, running, lastStartMs: nowMs }, result };
      });
      if (decision.kind === 'start') return;
      const { untilMs } = decision;
      const waitMs = untilMs === undefined ? LOOK_MS : Math.min(LONGEST_TIMER_MS, untilMs - this.#now());
      const woken = new AbortController();
      const waiting = delay(Math.max(1, waitMs), undefined, {
        signal: AbortSignal.any([signal, woken.signal]),
      });
      if (untilMs === undefined) void this.#ended.promise.then(() => woken.abort());
      await waiting.catch(() => signal.throwIfAborted());
    }
  }

  #change<T>(
    signal: AbortSignal,
    change: (state: CallState, nowMs: number) => { state: CallState; result: T },
  ): Promise<T> {
    return patiently(
      () =>
        this.#shared.change((stored) => {
          const nowMs = this.#now();
          const { state, result } = change(currentState(stored, nowMs), nowMs);
          return { document: state, result };
        }),
      signal,
    );
  }
}
