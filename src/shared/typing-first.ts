import { globalTimers, type Timers } from './rpc/timers.ts';

/** How long everything else waits for the answer to what was typed: most programs echo a key within a millisecond. */
export const ANSWER_MS = 20;

/**
 * Typing goes first: from a key to its echo, what can wait is held, so that it does not compete for the processors. Where no
 * answer comes it goes on, and is not held again before it had as long for itself.
 */
export class TypingFirst {
  readonly #changed: () => void;
  readonly #timers: Timers;
  #waiting: unknown;
  #free: unknown;

  /** `changed`: `holding` is another. */
  constructor(changed: () => void, timers: Timers = globalTimers) {
    this.#changed = changed;
    this.#timers = timers;
  }

  get holding(): boolean {
    return this.#waiting !== undefined;
  }

  typed(): void {
    if (this.holding || this.#free !== undefined) return;
    this.#waiting = this.#timers.setTimeout(() => {
      this.#free = this.#timers.setTimeout(() => {
        this.#free = undefined;
      }, ANSWER_MS);
      this.answered();
    }, ANSWER_MS);
    this.#changed();
  }

  answered(): void {
    if (!this.holding) return;
    this.#timers.clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#changed();
  }
}
