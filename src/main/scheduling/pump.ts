/**
 * Runs one pass at a time. Whoever asks during a pass gets another one right after it, however many ask: a pass reads
 * everything, so one more has seen what all of them meant.
 */
export class Pump {
  readonly #pass: () => Promise<void>;
  #passing: Promise<void> | undefined;
  #again = false;

  /** `pass` must not reject. */
  constructor(pass: () => Promise<void>) {
    this.#pass = pass;
  }

  /** Settles when a pass that began after this call has ended. */
  poke(): Promise<void> {
    if (this.#passing) {
      this.#again = true;
      return this.#passing;
    }
    this.#passing = this.#run().finally(() => {
      this.#passing = undefined;
    });
    return this.#passing;
  }

  /** Settles when no pass runs. */
  async rest(): Promise<void> {
    await this.#passing;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      await this.#pass();
    } while (this.#again);
  }
}
