const NEWLINE = 10;

/**
 * Cuts a byte stream into lines, however it is chunked. A line longer than `maxBytes` is left out, and counted, so that
 * one huge line can't fill the memory.
 */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #tooLong = false;
  leftOut = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that these bytes complete, without their line ends. */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      this.#keep(bytes.subarray(from, end));
      lines.push(...this.end());
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
    return lines;
  }

  /** What stands after the last line end, as a line; none where that is nothing. */
  end(): string[] {
    const line = this.#tooLong ? undefined : Buffer.concat(this.#parts).toString('utf8').replace(/\r$/, '');
    this.#parts = [];
    this.#size = 0;
    this.#tooLong = false;
    return line ? [line] : [];
  }

  #keep(bytes: Uint8Array): void {
    if (this.#tooLong || bytes.length === 0) return;
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) {
      this.#tooLong = true;
      this.#parts = [];
      this.leftOut += 1;
    } else {
      this.#parts.push(bytes.slice());
    }
  }
}
