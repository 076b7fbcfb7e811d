/** A session younger than this has no past to replay: what it asks the terminal is asked now. */
const FRESH_MS = 3000;
/** A replay comes in several frames, each after the last is acknowledged: it is over once nothing more comes. */
const QUIET_MS = 250;

/**
 * Knows whether output is a replay. A replay holds questions (cursor position, colours) that were answered long ago: a
 * second answer would reach the program as typed text.
 */
export class ReplayGuard {
  #replaying = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get replaying(): boolean {
    return this.#replaying;
  }

  /** A stream opens for a session that began at `createdAt`. */
  begin(createdAt: number, now: number): void {
    this.#replaying = now - createdAt > FRESH_MS;
    this.parsed();
  }

  /** Output came; the replay goes on. */
  received(): void {
    clearTimeout(this.#timer);
  }

  /** All of it so far is on the screen. */
  parsed(): void {
    clearTimeout(this.#timer);
    if (this.#replaying) this.#timer = setTimeout(() => this.end(), QUIET_MS);
  }

  /** What a person types is never an answer to a replayed question. */
  end(): void {
    clearTimeout(this.#timer);
    this.#replaying = false;
  }
}
