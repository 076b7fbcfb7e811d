import { joinStyles, type Outline, outlineOf } from './outline.ts';

/** An echo or a prompt does not wait behind floods. */
const QUIET_BYTES = 1024;
/** Plain output of one terminal that may wait here, taken off the server's hands. */
const HELD_BYTES = 1280 * 1024;

/** What parses output, as xterm.js does: in order, and not at once. */
export interface ParseTarget {
  write(output: Uint8Array | string, parsed?: () => void): void;
}

export type BacklogOptions = {
  /** Behind so many lines nothing is left of what stood before them. */
  keptLines(): number;
  /** A line feed alone begins a new line. */
  convertEol: boolean;
  /** False while nobody can look at the page. */
  visible(): boolean;
};

/** `taken`: more may be sent. `parsed`: it is on the screen, or out of reach already. */
export type Told = { taken(): void; parsed?(): void };

type Piece = { rest: Uint8Array; outline: Outline; told: Told; taken: boolean; begun: boolean };

/** The output of one terminal that waits to be parsed. */
export class Backlog {
  readonly #target: ParseTarget;
  readonly #options: BacklogOptions;
  readonly #onWaiting: (backlog: Backlog) => void;
  readonly #onCleared: (backlog: Backlog) => void;
  #pieces: Piece[] = [];
  #bytes = 0;
  /** The last that was parsed is plain: no sequence is open, and what was asked of the terminal before is known. */
  #settled = false;
  /** When some of it was last passed over, and whether that goes on: more comes than anybody can look at. */
  passedOverMs = Number.NEGATIVE_INFINITY;
  outruns = false;

  constructor(
    target: ParseTarget,
    options: BacklogOptions,
    on: { waiting(backlog: Backlog): void; cleared(backlog: Backlog): void },
  ) {
    this.#target = target;
    this.#options = options;
    this.#onWaiting = on.waiting;
    this.#onCleared = on.cleared;
  }

  get waiting(): boolean {
    return this.#pieces.length > 0;
  }

  write(bytes: Uint8Array, told: Told): void {
    if (!this.waiting && bytes.byteLength <= QUIET_BYTES) {
      this.#settled = false;
      this.#target.write(bytes, () => {
        told.taken();
        told.parsed?.();
      });
      return;
    }
    const outline = outlineOf(bytes, this.#options.convertEol);
    // A page that nobody looks at is slow to parse: what it can leave out is not kept waiting.
    if (!this.#options.visible()) this.#passOver();
    const taken = outline.plain && this.#bytes + bytes.byteLength <= HELD_BYTES;
    this.#pieces.push({ rest: bytes, outline, told, taken, begun: false });
    this.#bytes += bytes.byteLength;
    if (taken) told.taken();
    this.#onWaiting(this);
  }

  /** Hands on the next slice; `done` says how long it was, once it is parsed. */
  next(sliceBytes: number, done: (bytes: number) => void): void {
    this.#passOver();
    const [piece] = this.#pieces;
    if (!piece) {
      done(0);
      return;
    }
    piece.begun = true;
    const slice = piece.rest.subarray(0, sliceBytes);
    piece.rest = piece.rest.subarray(slice.byteLength);
    this.#bytes -= slice.byteLength;
    this.#target.write(slice, () => {
      this.#settled = piece.outline.plain;
      if (piece.rest.byteLength === 0 && this.#pieces[0] === piece) {
        this.#pieces.shift();
        tell(piece);
      }
      done(slice.byteLength);
    });
  }

  /** What waits is dropped: the terminal was emptied or is gone. */
  clear(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.#settled = false;
    this.#onCleared(this);
  }

  /**
   * Leaves out what would have scrolled out of reach before anybody saw it: pieces of plain output with more lines of such
   * output behind them than the terminal keeps. What such lines leave behind does not depend on where the first of them began.
   */
  #passOver(): void {
    this.outruns = false;
    if (!this.#settled) return;
    const firstOther = this.#pieces.findIndex(({ outline }) => !outline.plain);
    const plain = firstOther < 0 ? this.#pieces : this.#pieces.slice(0, firstOther);
    const from = plain[0]?.begun ? 1 : 0;
    const keptLines = this.#options.keptLines();
    let lines = plain.slice(from).reduce((sum, { outline }) => sum + outline.lines, 0);
    let style: ReadonlySet<string> = new Set();
    let count = 0;
    for (const piece of plain.slice(from)) {
      lines -= piece.outline.lines;
      if (lines <= keptLines) break;
      style = joinStyles(style, piece.outline.style);
      this.#bytes -= piece.rest.byteLength;
      count += 1;
    }
    if (count === 0) return;
    this.outruns = true;
    this.passedOverMs = performance.now();
    const passed = this.#pieces.splice(from, count);
    this.#restyle(style);
    for (const piece of passed) tell(piece);
  }

  /** The style of what was passed over comes before what is behind it. */
  #restyle(style: ReadonlySet<string>): void {
    if (style.size === 0) return;
    const next = this.#pieces.find(({ begun }) => !begun);
    if (!next) return;
    const sequences = new TextEncoder().encode([...style].join(''));
    const rest = new Uint8Array(sequences.length + next.rest.length);
    rest.set(sequences);
    rest.set(next.rest, sequences.length);
    next.rest = rest;
    next.outline = { ...next.outline, style: joinStyles(style, next.outline.style) };
    this.#bytes += sequences.length;
  }
}

function tell({ told, taken }: Piece): void {
  if (!taken) told.taken();
  told.parsed?.();
}
