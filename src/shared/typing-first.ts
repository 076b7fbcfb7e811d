import { globalTimers } from './rpc/timers.ts';

/** How long everything else waits for the answer to what was typed: most programs echo a key within a millisecond. */
export const ANSWER_MS = 20;

/**
 * Typing goes first: from a key to its echo, what can wait is held, so that it does not compete for the processors. Where no
 * answer comes it goes on, and is not held again before it had as long for itself.
 */
export class TypingFirst {
  readonly #changed: () => void;
  #waiting: unknown;
  #free: unknown;

  /** `changed`: `holding` is another. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get holding(): boolean {
    return this.#waiting !== undefined;
  }

  typed(): void {
    if (this.holding || this.#free !== undefined) return;
    this.#waiting = globalTimers.setTimeout(() => {
      this.#free = globalTimers.setTimeout(() => {
        this.#free = undefined;
      }, ANSWER_MS);
      this.answered();
    }, ANSWER_MS);
    this.#changed();
  }

  answered(): void {
    if (!this.holding) return;
    globalTimers.clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#changed();
  }
}
