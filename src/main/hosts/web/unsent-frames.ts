type Frame<Kind> = { kind: Kind; end: number; bytes: number };

/** What of the frames given to one connection has not left this process yet, by kind. Frames leave in the order they came. */
export class UnsentFrames<Kind extends string> {
  readonly #bufferedBytes: () => number;
  /** Bytes of all frames so far. */
  #given = 0;
  #unsent: Frame<Kind>[] = [];
  /** Of the unsent frames, whole. */
  readonly #sums = new Map<Kind, { bytes: number; count: number }>();

  /** `bufferedBytes`: all bytes of the connection that wait now. */
  constructor(bufferedBytes: () => number) {
    this.#bufferedBytes = bufferedBytes;
  }

  /** Runs `send` and counts what waits by it. */
  give(kind: Kind, send: () => void): void {
    const before = this.#bufferedBytes();
    send();
    const bytes = this.#bufferedBytes() - before;
    if (bytes <= 0) return;
    this.#given += bytes;
    const frame = { kind, end: this.#given, bytes };
    this.#unsent.push(frame);
    this.#count(frame, 1);
  }

  /** Bytes of this kind that wait; of a frame that left in part, what is left. */
  bytes(kind: Kind): number {
    const left = this.#leave();
    const first = this.#unsent[0];
    const sent = first?.kind === kind ? left - (first.end - first.bytes) : 0;
    return (this.#sums.get(kind)?.bytes ?? 0) - sent;
  }

  /** Frames of this kind that wait, in whole or in part. */
  count(kind: Kind): number {
    this.#leave();
    return this.#sums.get(kind)?.count ?? 0;
  }

  /** Forgets what has left. Returns how many bytes have. */
  #leave(): number {
    const left = this.#given - this.#bufferedBytes();
    let gone = 0;
    for (const frame of this.#unsent) {
      if (frame.end > left) break;
      this.#count(frame, -1);
      gone += 1;
    }
    if (gone > 0) this.#unsent = this.#unsent.slice(gone);
    return left;
  }

  #count({ kind, bytes }: Frame<Kind>, step: 1 | -1): void {
    const sum = this.#sums.get(kind) ?? { bytes: 0, count: 0 };
    this.#sums.set(kind, { bytes: sum.bytes + step * bytes, count: sum.count + step });
  }
}
