import { setTimeout as delay } from 'node:timers/promises';

/** One change and whom it belongs to. */
type Entry = { body: () => unknown; resolve(value: unknown): void; reject(error: unknown): void };

/** How a change or a whole transaction went. */
export type Outcome = { value: unknown } | { error: unknown };

export type WriteQueueOptions = {
  /** Runs the bodies in one transaction; each is whole or not at all. Throws where nothing was committed. */
  commit(bodies: readonly (() => unknown)[]): Outcome[];
  isBusy(thrown: unknown): boolean;
  explain(thrown: unknown): unknown;
  /** Of a database that stays busy this long. */
  busyError(thrown: unknown): unknown;
  giveUpMs: number;
};

const RETRY_MS = 15;

/**
 * Changes in the order in which they were asked for. Those asked for at the same moment share one transaction, and with it
 * one sync of the disk. A busy database is waited for without blocking the process, and nothing overtakes meanwhile.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #waiting: Entry[] = [];
  #work: Promise<void> | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  add<T>(body: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ body, resolve: resolve as (value: unknown) => void, reject });
      this.#work ??= this.#drain();
    });
  }

  /** Settles when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #drain(): Promise<void> {
    await undefined; // whoever writes in the same step of the process comes along
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#write(batch);
      await undefined; // those whose change was written may have the next one
    }
    // In the same step as the last look: whoever comes after it starts anew.
    this.#work = undefined;
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const { commit, isBusy, explain, busyError, giveUpMs } = this.#options;
    const giveUpAt = performance.now() + giveUpMs;
    for (;;) {
      try {
        const outcomes = commit(batch.map((entry) => entry.body));
        for (const [index, entry] of batch.entries()) {
          const outcome = outcomes[index] as Outcome;
          if ('error' in outcome) entry.reject(explain(outcome.error));
          else entry.resolve(outcome.value);
        }
        return;
      } catch (thrown) {
        const gaveUp = performance.now() > giveUpAt;
        if (!isBusy(thrown) || gaveUp) {
          const error = isBusy(thrown) ? busyError(thrown) : explain(thrown);
          for (const entry of batch) entry.reject(error);
          return;
        }
      }
      await delay(RETRY_MS);
    }
  }
}
