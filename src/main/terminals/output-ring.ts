import { characterStart, wholeCharacters } from './utf8.ts';

/** What a pane gets to see when it is opened, and how far behind a reader of a headless program may be: 5 000 lines of 125. */
export const RING_BYTES = 768 * 1024;
/** A terminal's program is held while this much waits for its fastest reader: what is being read then still has room. */
export const HOLD_BYTES = RING_BYTES - 128 * 1024;

const FIRST_CAPACITY_BYTES = 16 * 1024;

/**
 * The last output of one session in bounded memory. Offsets count from the session's first byte, so a reader is
 * one number, and what it missed is a subtraction.
 */
export class OutputRing {
  readonly #limitBytes: number;
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY_BYTES);
  #end: number;
  #kept = 0;

  /** `startBytes`: how much output went before that this ring never saw. */
  constructor(limitBytes: number, startBytes = 0) {
    this.#limitBytes = limitBytes;
    this.#end = startBytes;
  }

  /** Offset behind the last byte. */
  get end(): number {
    return this.#end;
  }

  /** Offset of the first byte that is still kept. */
  get start(): number {
    return this.#end - this.#kept;
  }

  append(bytes: Uint8Array): void {
    this.#grow(this.#kept + bytes.length);
    const capacity = this.#buffer.length;
    const tail = bytes.length > capacity ? bytes.subarray(bytes.length - capacity) : bytes;
    this.#end += bytes.length - tail.length;
    const at = this.#end % capacity;
    const first = Math.min(tail.length, capacity - at);
    this.#buffer.set(tail.subarray(0, first), at);
    this.#buffer.set(tail.subarray(first), 0);
    this.#end += tail.length;
    this.#kept = Math.min(capacity, this.#kept + bytes.length);
  }

  /**
   * A copy of up to `maxBytes` from `offset` on, cut between characters; `skipped` > 0 where the beginning is no longer
   * kept. Undefined at the end.
   */
  read(offset: number, maxBytes: number): { bytes: Buffer; skipped: number } | undefined {
    if (offset >= this.#end) return undefined;
    const from = Math.max(offset, this.start);
    let bytes = this.#copy(from, Math.min(this.#end, from + maxBytes));
    let skipped = from - offset;
    if (skipped > 0) {
      const begin = characterStart(bytes, 0);
      bytes = bytes.subarray(begin);
      skipped += begin;
    }
    if (offset + skipped + bytes.length < this.#end) {
      const whole = wholeCharacters(bytes);
      if (whole > 0) bytes = bytes.subarray(0, whole);
    }
    return { bytes, skipped };
  }

  #copy(from: number, to: number): Buffer {
    const capacity = this.#buffer.length;
    const result = Buffer.allocUnsafe(to - from);
    const at = from % capacity;
    const first = Math.min(result.length, capacity - at);
    this.#buffer.copy(result, 0, at, at + first);
    this.#buffer.copy(result, first, 0, result.length - first);
    return result;
  }

  #grow(wantedBytes: number): void {
    if (wantedBytes <= this.#buffer.length || this.#buffer.length >= this.#limitBytes) return;
    // At once, not by doubling: pages that are never written to cost nothing.
    const capacity = this.#limitBytes;
    const kept = this.#copy(this.start, this.#end);
    this.#buffer = Buffer.allocUnsafe(capacity);
    const at = this.start % capacity;
    const first = Math.min(kept.length, capacity - at);
    kept.copy(this.#buffer, at, 0, first);
    kept.copy(this.#buffer, 0, first);
  }
}
