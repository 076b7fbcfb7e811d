const LIMITS = { count: 1000, characters: 8 * 1024 * 1024 };

/** The last events as they were sent, for readers that come back. */
export class KeptEvents {
  readonly #limits: { count: number; characters: number };
  readonly #events: { seq: number; text: string }[] = [];
  #characters = 0;

  /** Those beyond either limit are forgotten, the oldest first. */
  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  add(seq: number, text: string): void {
    this.#events.push({ seq, text });
    this.#characters += text.length;
    const { count, characters } = this.#limits;
    while (this.#events.length > count || this.#characters > characters) {
      this.#characters -= this.#events.shift()?.text.length ?? 0;
    }
  }

  /** The texts of the events after `lastSeq`; undefined where some of them are no longer known, or the number is not ours. */
  after(lastSeq: number): string[] | undefined {
    const first = this.#events[0];
    const last = this.#events.at(-1);
    if (!first || !last || !Number.isSafeInteger(lastSeq)) return undefined;
    if (lastSeq < first.seq - 1 || lastSeq > last.seq) return undefined;
    return this.#events.filter(({ seq }) => seq > lastSeq).map(({ text }) => text);
  }
}
