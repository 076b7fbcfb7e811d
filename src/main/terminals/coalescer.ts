import { BLOCK_BYTES, giveBlock, takeBlock } from './output-memory.ts';
import { wholeCharacters } from './utf8.ts';

/** Output is joined for this long, or up to this size: fewer, larger frames cost the page less than many small ones. */
export const COALESCE_MS = 4;
export const COALESCE_BYTES = BLOCK_BYTES;

/**
 * Joins small chunks into larger ones and never cuts a character. The first output after a pause goes out at once, so that
 * an echo does not wait. What is emitted is valid until `emit` returns: the memory is used again.
 */
export class Coalescer {
  readonly #emit: (bytes: Buffer) => void;
  #buffer: Buffer | undefined;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: (bytes: Buffer) => void) {
    this.#emit = emit;
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const buffer = this.#buffer ?? takeBlock();
      this.#buffer = buffer;
      const part = bytes.subarray(from, from + COALESCE_BYTES - this.#size);
      buffer.set(part, this.#size);
      this.#size += part.length;
      from += part.length;
      if (this.#size === COALESCE_BYTES) this.#send(false);
    }
    if (this.#size > 0 && !this.#timer) {
      this.#send(false);
      this.#wait();
    }
  }

  /** Sends everything that is kept, whole characters or not: nothing follows. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send(true);
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#send(false)) this.#wait();
    }, COALESCE_MS);
  }

  /** True where something went out. */
  #send(all: boolean): boolean {
    const buffer = this.#buffer;
    if (!buffer || this.#size === 0) return false;
    const kept = buffer.subarray(0, this.#size);
    const whole = all ? kept.length : wholeCharacters(kept);
    if (whole === 0) return false;
    this.#emit(kept.subarray(0, whole));
    buffer.copy(buffer, 0, whole, this.#size);
    this.#size -= whole;
    if (this.#size === 0) {
      this.#buffer = undefined;
      giveBlock(buffer);
    }
    return true;
  }
}
