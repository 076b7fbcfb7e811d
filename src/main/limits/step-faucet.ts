/**
 * How many gate steps run at once, over all gates of this process. One step of each gate always may, so that no gate
 * waits for another; what a gate runs beside it needs room.
 */
export class StepFaucet {
  readonly #limit: () => number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Takes a place for a step; false where there is none. `alone`: its gate runs no other step now. */
  take(alone: boolean): boolean {
    if (!alone && this.#running >= this.#limit()) return false;
    this.#running += 1;
    return true;
  }

  /** Gives a place back and tells those who may want it. */
  release(): void {
    this.#running -= 1;
    for (const tell of [...this.#waiting]) tell();
  }

  /** Calls back whenever there may be room, until it is disposed of. */
  onRoom(tell: () => void): Disposable {
    this.#waiting.add(tell);
    return { [Symbol.dispose]: () => void this.#waiting.delete(tell) };
  }
}
