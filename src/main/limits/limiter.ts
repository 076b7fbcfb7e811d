import { HeadwayError } from '../../shared/errors.ts';

/** Who asks: a job, or a warm-up, for which nobody waits. */
export type Priority = 'job' | 'warm-up';

/**
 * Lets a limited number in at a time, in order of arrival. The limit is asked anew whenever somebody leaves or comes. A warm-up
 * never keeps a job waiting: jobs go first, and those warm-ups that are inside do not count against them.
 */
export class Limiter {
  readonly #limit: () => number;
  readonly #running = { job: 0, 'warm-up': 0 };
  #waiting: { priority: Priority; enter(): void }[] = [];

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Runs `action` when there is room; `onWait` is called where there is none yet. Throws `cancelled` on the signal. */
  async run<T>(
    action: () => Promise<T>,
    options: { signal: AbortSignal; priority: Priority; onWait(): void },
  ): Promise<T> {
    const { priority, signal } = options;
    if (this.#waiting.some((other) => other.priority === priority) || !this.#hasRoom(priority)) {
      options.onWait();
      await this.#turn(priority, signal);
    } else this.#running[priority] += 1;
    try {
      return await action();
    } finally {
      this.#running[priority] -= 1;
      this.#admit();
    }
  }

  #hasRoom(priority: Priority): boolean {
    const { job } = this.#running;
    const limit = Math.max(1, this.#limit());
    if (priority === 'job') return job < limit;
    const jobWaits = this.#waiting.some((other) => other.priority === 'job');
    return !jobWaits && job + this.#running['warm-up'] < limit;
  }

  #turn(priority: Priority, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = {
        priority,
        enter: (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        reject(new HeadwayError('cancelled', 'cancelled while waiting for an install to end'));
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#admit();
    });
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting.find(({ priority }) => this.#hasRoom(priority));
      if (!next) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#running[next.priority] += 1;
      next.enter();
    }
  }
}
