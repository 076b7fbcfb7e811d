/** An echo or a prompt does not wait behind floods. */
const QUIET_BYTES = 1024;
/** Parsed in one go; between two of them everything else has its turn. A new terminal's lines cost four times what others do. */
const SLICE_MS = 1;
const LEAST_BYTES = 2 * 1024;
const MOST_BYTES = 16 * 1024;

/** What parses output, as xterm.js does: in order, and not at once. */
export interface ParseTarget {
  write(output: Uint8Array | string, parsed?: () => void, answers?: boolean): void;
}

type Piece = { rest: Uint8Array; outruns: boolean; answers: boolean; parsed: () => void };
type Listeners = { waiting(backlog: Backlog): void; cleared(backlog: Backlog): void; answered(): void };

/** The output of one terminal that waits to be parsed. */
export class Backlog {
  readonly #target: ParseTarget;
  readonly #on: Listeners;
  #pieces: Piece[] = [];
  /** What parsing costs at least, as far as was seen lately. */
  #msPerByte = SLICE_MS / MOST_BYTES;

  constructor(target: ParseTarget, on: Listeners) {
    this.#target = target;
    this.#on = on;
  }

  get waiting(): boolean {
    return this.#pieces.length > 0;
  }

  /** What comes next is shown now and then: more comes than anybody can look at. */
  get outruns(): boolean {
    return this.#pieces[0]?.outruns ?? false;
  }

  /** `outruns`: these bytes are a sample of more than anybody could look at. `answers`: what they ask may be answered. */
  write(
    bytes: Uint8Array,
    { outruns, answers = false, parsed }: { outruns: boolean; answers?: boolean; parsed(): void },
  ): void {
    if (!this.waiting && bytes.byteLength <= QUIET_BYTES) {
      const done = (): void => {
        parsed();
        this.#on.answered();
      };
      this.#target.write(bytes, done, answers);
      return;
    }
    this.#pieces.push({ rest: bytes, outruns, answers, parsed });
    this.#on.waiting(this);
  }

  /** Hands on the next slice, which takes about a millisecond, or all; `done` says how long it was, once it is parsed. */
  next(all: boolean, done: (bytes: number) => void): void {
    const [piece] = this.#pieces;
    if (!piece) {
      done(0);
      return;
    }
    const fromMs = performance.now();
    const slice = all ? piece.rest : piece.rest.subarray(0, this.#sliceBytes());
    piece.rest = piece.rest.subarray(slice.byteLength);
    // Its turn has come: the rest follows at once.
    piece.outruns = false;
    const parsed = (): void => {
      this.#took(slice.byteLength, performance.now() - fromMs);
      if (piece.rest.byteLength === 0 && this.#pieces[0] === piece) {
        this.#pieces.shift();
        piece.parsed();
      }
      done(slice.byteLength);
    };
    this.#target.write(slice, parsed, piece.answers);
  }

  /** What waits is dropped: the terminal was emptied or is gone. */
  clear(): void {
    this.#pieces = [];
    this.#on.cleared(this);
  }

  #sliceBytes(): number {
    return Math.max(LEAST_BYTES, SLICE_MS / this.#msPerByte);
  }

  /** It may have taken less: other things happen meanwhile. */
  #took(bytes: number, ms: number): void {
    const seen = Math.min(this.#msPerByte * 1.1, ms / bytes);
    this.#msPerByte = Math.max(SLICE_MS / MOST_BYTES, seen);
  }
}
