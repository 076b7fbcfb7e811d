/** Keeps the beginning and the end of a program's output, and says what it left out between them. */
export class CappedOutput {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(limitBytes: number) {
    this.#headBytes = Math.floor(limitBytes / 4);
    this.#tailBytes = limitBytes - this.#headBytes;
  }

  push(bytes: Uint8Array): void {
    const room = this.#headBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, room)]);
    if (bytes.length <= room) return;
    const joined = Buffer.concat([this.#tail, bytes.subarray(Math.max(0, room))]);
    const over = Math.max(0, joined.length - this.#tailBytes);
    this.#left += over;
    this.#tail = Buffer.from(joined.subarray(over));
  }

  /** Cut at line ends where there are some near, so that no line and no character is shown in part. */
  text(): string {
    if (this.#left === 0) return Buffer.concat([this.#head, this.#tail]).toString('utf8');
    const headEnd = this.#head.lastIndexOf(10) + 1 || this.#head.length;
    const tailStart = this.#tail.indexOf(10) + 1;
    const left = this.#left + (this.#head.length - headEnd) + tailStart;
    const head = this.#head.subarray(0, headEnd).toString('utf8');
    return `${head}\n[${left} bytes are left out]\n${this.#tail.subarray(tailStart).toString('utf8')}`;
  }
}
