import { MINUTE_MS } from '../../shared/time.ts';

/** No pause before another attempt is longer than this: what says more was written by a clock that stood elsewhere. */
const LONGEST_PAUSE_MS = 10 * MINUTE_MS;

/**
 * Times that only go on, whatever happens to the wall clock: it is read once, and real time passes from there. A time that
 * was stored (by any process, under any clock) counts as a pause from when it was first seen here.
 */
export class SteadyClock {
  readonly #clock: { now(): number; monotonic(): number };
  readonly #offsetMs: number;
  readonly #due = new Map<string, { storedAt: number; at: number }>();

  constructor(clock: { now(): number; monotonic(): number }) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonic();
  }

  now(): number {
    return this.#offsetMs + this.#clock.monotonic();
  }

  /** When the pause of `name` that ends at the stored time is over here; `undefined`: there is none. */
  due(name: string, storedAt: number | undefined): number | undefined {
    if (storedAt === undefined) {
      this.#due.delete(name);
      return undefined;
    }
    const known = this.#due.get(name);
    if (known?.storedAt === storedAt) return known.at;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(0, storedAt - this.#clock.now()));
    const at = this.now() + pauseMs;
    this.#due.set(name, { storedAt, at });
    return at;
  }
}
