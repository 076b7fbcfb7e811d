const ESCAPE = 0x1b;

/** Finds the mark with which a terminal's leader says how the program ended, and takes it out of the output. */
export class ExitMark {
  readonly #prefix: Buffer;
  readonly #maxBytes: number;
  #held = Buffer.alloc(0);

  constructor(mark: string) {
    this.#prefix = Buffer.from(`\u001b]7340;${mark};`);
    this.#maxBytes = this.#prefix.length + '255\u0007'.length;
  }

  /** The program's own bytes, and its exit code once the mark is complete; nothing after the mark is the program's. */
  push(chunk: Buffer): { bytes: Buffer; code?: number } {
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const at = this.#find(all);
    if (at === -1) {
      this.#held = Buffer.alloc(0);
      return { bytes: all };
    }
    const match = /^(\d{1,3})\u0007/.exec(
      all.toString('latin1', at + this.#prefix.length, at + this.#maxBytes),
    );
    if (match) {
      this.#held = Buffer.alloc(0);
      return { bytes: all.subarray(0, at), code: Number(match[1]) };
    }
    this.#held = Buffer.from(all.subarray(at));
    return { bytes: all.subarray(0, at) };
  }

  /** What was held back as a possible mark. */
  end(): Buffer {
    return this.#held;
  }

  /** Where the mark, or what may become it at the end, begins. */
  #find(all: Buffer): number {
    const whole = all.indexOf(this.#prefix);
    if (whole !== -1) return whole;
    let at = all.indexOf(ESCAPE, Math.max(0, all.length - this.#prefix.length));
    while (at !== -1) {
      if (this.#prefix.subarray(0, all.length - at).equals(all.subarray(at))) return at;
      at = all.indexOf(ESCAPE, at + 1);
    }
    return -1;
  }
}
