import { setTimeout as delay } from 'node:timers/promises';

/** What is known when a call asks to start. Times are monotonic milliseconds. */
export type CallState = {
  running: number;
  lastStartMs: number | undefined;
  pausedUntilMs: number;
};

export type CallLimits = { atOnce: number; gapMs: number };

const LIMITS: CallLimits = { atOnce: 2, gapMs: 250 };
/** A longer timer of Node's fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Pure: may a call start now, or when is the next look? `undefined`: when a running one ends. */
export function decideCall(
  state: CallState,
  nowMs: number,
  limits: CallLimits = LIMITS,
): { kind: 'start' } | { kind: 'wait'; untilMs: number | undefined } {
  const gapEndMs = state.lastStartMs === undefined ? nowMs : state.lastStartMs + limits.gapMs;
  const untilMs = Math.max(state.pausedUntilMs, gapEndMs);
  if (untilMs > nowMs) return { kind: 'wait', untilMs };
  return state.running < limits.atOnce ? { kind: 'start' } : { kind: 'wait', untilMs: undefined };
}

/** One gate for all calls to a source-control service: few at once, a gap between them, and a pause that holds for all. */
export class CallLimiter {
  readonly #now: () => number;
  readonly #state: CallState = { running: 0, lastStartMs: undefined, pausedUntilMs: 0 };
  #tail: Promise<unknown> = Promise.resolve();
  #ended = Promise.withResolvers<void>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How long calls are paused from now; 0: they are not. */
  get pausedMs(): number {
    return Math.max(0, this.#state.pausedUntilMs - this.#now());
  }

  pause(waitMs: number): void {
    this.#state.pausedUntilMs = Math.max(this.#state.pausedUntilMs, this.#now() + waitMs);
  }

  /** Runs the call when it is its turn, in order of asking. Rejects with the signal's reason where it comes first. */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#tail.then(() => this.#start(signal));
    this.#tail = turn.catch(() => undefined);
    await turn;
    try {
      return await call();
    } finally {
      this.#state.running -= 1;
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const decision = decideCall(this.#state, this.#now());
      if (decision.kind === 'start') break;
      if (decision.untilMs === undefined) await this.#ended.promise;
      else await delay(Math.min(LONGEST_TIMER_MS, decision.untilMs - this.#now()), undefined, { signal });
    }
    this.#state.running += 1;
    this.#state.lastStartMs = this.#now();
  }
}
