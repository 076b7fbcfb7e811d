const KEPT_BYTES = 1024 * 1024;
const encoder = new TextEncoder();

type Lane = { chunks: Uint8Array[]; bytes: number; dropped: number; ended: boolean };

/**
 * One stream out of several that run side by side: each as a whole, in order. The earliest that has not ended is written as
 * it comes; the others are kept until it is their turn, of a flood the last part.
 */
export class OrderedOutput {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #lanes: Lane[];
  #front = 0;
  #last: number;

  constructor(count: number, write: (bytes: Uint8Array) => void) {
    this.#write = write;
    this.#last = count - 1;
    this.#lanes = Array.from({ length: count }, () => ({ chunks: [], bytes: 0, dropped: 0, ended: false }));
  }

  write(index: number, bytes: Uint8Array): void {
    if (index > this.#last) return;
    if (index === this.#front) {
      this.#write(bytes);
      return;
    }
    const lane = this.#lanes[index];
    if (!lane) return;
    lane.chunks.push(bytes);
    lane.bytes += bytes.length;
    // The first chunk is the heading.
    while (lane.bytes > KEPT_BYTES && lane.chunks.length > 2) {
      const [gone] = lane.chunks.splice(1, 1);
      lane.bytes -= gone?.length ?? 0;
      lane.dropped += gone?.length ?? 0;
    }
  }

  /** `goesOn`: false where nothing behind it is to be seen. */
  end(index: number, goesOn: boolean): void {
    const lane = this.#lanes[index];
    if (lane) lane.ended = true;
    if (!goesOn) this.#last = Math.min(this.#last, index);
    while (this.#front < this.#last && this.#lanes[this.#front]?.ended) {
      this.#front += 1;
      this.#flush(this.#lanes[this.#front]);
    }
  }

  #flush(lane: Lane | undefined): void {
    if (!lane) return;
    const [heading, ...rest] = lane.chunks;
    if (heading) this.#write(heading);
    if (lane.dropped > 0) this.#write(encoder.encode(`… ${lane.dropped} bytes are left out here\r\n`));
    for (const chunk of rest) this.#write(chunk);
    lane.chunks = [];
  }
}
