import { emptyTrash, type LeftInTrash } from '../../disk/trash.ts';

const TRASH_DELAY_MS = 2_000;

/** Work that goes on after its caller went on: resets, warming, deletion. */
export class Background {
  /** What an emptied trash directory still holds; empty where it holds nothing. */
  readonly #onLeft: (trash: string, left: readonly LeftInTrash[]) => Promise<void>;
  readonly #all = new Set<Promise<unknown>>();
  /** What ends with a ready slot, by lane: a repository, and what its slots are for. */
  readonly #coming = new Map<string, Set<Promise<unknown>>>();
  readonly #waiting = new Map<string, number>();
  readonly #trash = new Map<string, Promise<void>>();
  readonly #due = new Map<string, NodeJS.Timeout>();

  constructor(
    onLeft: (trash: string, left: readonly LeftInTrash[]) => Promise<void> = async () => undefined,
  ) {
    this.#onLeft = onLeft;
  }

  #add(work: Promise<unknown>, forget: () => void): void {
    this.#all.add(work);
    void work.then(() => {
      this.#all.delete(work);
      forget();
    });
  }

  /** Marks work that ends with a ready slot, so that a claim waits for it instead of making another. */
  coming<T>(lane: string, work: Promise<T>): Promise<T> {
    const coming = this.#coming.get(lane) ?? new Set();
    this.#coming.set(lane, coming);
    const entry = work.then(
      () => undefined,
      () => undefined,
    );
    coming.add(entry);
    this.#add(entry, () => coming.delete(entry));
    return work;
  }

  /** Waits for the next slot to come, where nobody else waits for it; false: there is none. */
  async next(lane: string, signal: AbortSignal, onWait: () => void): Promise<boolean> {
    const coming = this.#coming.get(lane);
    const waiting = this.#waiting.get(lane) ?? 0;
    if (!coming || coming.size <= waiting) return false;
    onWait();
    this.#waiting.set(lane, waiting + 1);
    const gaveUp = abortion(signal);
    try {
      await Promise.race([...coming, gaveUp.promise]);
    } finally {
      gaveUp.dispose();
      this.#waiting.set(lane, (this.#waiting.get(lane) ?? 1) - 1);
    }
    return true;
  }

  /** Empties a trash directory in a while: a hand-out often follows a reset, and both would write to one disk. */
  empty(trash: string): void {
    if (this.#due.has(trash)) return;
    const timer = setTimeout(() => this.#emptyNow(trash), TRASH_DELAY_MS);
    timer.unref();
    this.#due.set(trash, timer);
  }

  #emptyNow(trash: string): void {
    clearTimeout(this.#due.get(trash));
    this.#due.delete(trash);
    const next = (this.#trash.get(trash) ?? Promise.resolve()).then(async () => {
      await this.#onLeft(trash, await emptyTrash(trash)).catch(() => undefined); // told the next time
    });
    this.#trash.set(trash, next);
    this.#add(next, () => undefined);
  }

  async settle(): Promise<void> {
    while (this.#all.size + this.#due.size > 0) {
      for (const trash of [...this.#due.keys()]) this.#emptyNow(trash);
      await Promise.allSettled([...this.#all]);
    }
  }
}

/** Settles on the signal; disposing of it lets the signal forget it. */
function abortion(signal: AbortSignal): { promise: Promise<void>; dispose(): void } {
  let stop: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  return { promise, dispose: () => signal.removeEventListener('abort', stop) };
}
