import { wholeCharacters } from './utf8.ts';

/** Output is joined for this long, or up to this size: fewer, larger frames cost the page less than many small ones. */
export const COALESCE_MS = 4;
export const COALESCE_BYTES = 64 * 1024;

/**
 * Joins small chunks into larger ones and never cuts a character. The first output after a pause goes out at once, so that
 * an echo does not wait.
 */
export class Coalescer {
  readonly #emit: (bytes: Buffer) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: (bytes: Buffer) => void) {
    this.#emit = emit;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= COALESCE_BYTES) this.#send(false);
    else if (!this.#timer) {
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
    if (this.#size === 0) return false;
    const joined = Buffer.concat(this.#parts, this.#size);
    const whole = all ? joined.length : wholeCharacters(joined);
    this.#parts = whole < joined.length ? [joined.subarray(whole)] : [];
    this.#size = joined.length - whole;
    if (whole === 0) return false;
    this.#emit(joined.subarray(0, whole));
    return true;
  }
}
