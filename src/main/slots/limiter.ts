import { HeadwayError } from '../../shared/errors.ts';

/** Lets a limited number in at a time, in order of arrival. The limit is asked anew whenever somebody leaves or comes. */
export class Limiter {
  readonly #limit: () => number;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Runs `action` when there is room; `onWait` is called where there is none yet. Throws `cancelled` on the signal. */
  async run<T>(action: () => Promise<T>, signal: AbortSignal, onWait: () => void): Promise<T> {
    if (this.#running >= this.#limit() || this.#waiting.length > 0) {
      onWait();
      await this.#turn(signal);
    } else this.#running += 1;
    try {
      return await action();
    } finally {
      this.#running -= 1;
      this.#admit();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((entry) => entry !== enter);
        reject(new HeadwayError('cancelled', 'cancelled while waiting for an install to end'));
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
      this.#admit();
    });
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#running < Math.max(1, this.#limit())) {
      this.#running += 1;
      this.#waiting.shift()?.();
    }
  }
}
