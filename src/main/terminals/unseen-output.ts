import { joinStyles, outlineOf } from '../redaction/outline.ts';

/** Pieces are about as long, so that a reader who shows a flood now and then takes little at a time. */
export const PIECE_BYTES = 16 * 1024;

const LF = 0x0a;

/** Plain output between two offsets. */
type Piece = { start: number; end: number; lines: number; style: ReadonlySet<string> };

/**
 * Knows which output of a terminal would scroll out of reach before anybody saw it: plain output with more lines of such
 * output behind it than the terminal keeps. What such lines leave behind does not depend on where the first of them began.
 */
export class UnseenOutput {
  readonly #convertEol: boolean;
  readonly #pieceBytes: number;
  /** The plain pieces at the end of the output, without a gap between them. */
  #pieces: Piece[] = [];
  #plainFrom = 0;
  /** A sequence may be open. */
  #open = false;

  /** `convertEol`: for this terminal a line feed alone begins a new line. */
  constructor(convertEol: boolean, pieceBytes = PIECE_BYTES) {
    this.#convertEol = convertEol;
    this.#pieceBytes = pieceBytes;
  }

  /** Offset from which on all output is plain. */
  get plainFrom(): number {
    return this.#plainFrom;
  }

  /** Output that begins at an offset, behind all that was added. Characters are whole. */
  add(bytes: Uint8Array, offset: number): void {
    for (let from = 0; from < bytes.length; ) {
      const to = this.#pieceEnd(bytes, from);
      this.#addPiece(bytes.subarray(from, to), offset + from);
      from = to;
    }
  }

  /** What ends before an offset will not be asked for. */
  trim(offset: number): void {
    const first = this.#pieces.findIndex(({ end }) => end > offset);
    if (first > 0) this.#pieces.splice(0, first);
  }

  /** How far a reader may jump ahead from an offset, and the colours that hold there. */
  passable(offset: number, keptLines: number): { to: number; style: ReadonlySet<string> } | undefined {
    const from = this.#pieces.findIndex(({ start }) => start === offset);
    if (from < 0) return undefined;
    const pieces = this.#pieces.slice(from);
    let lines = pieces.reduce((sum, piece) => sum + piece.lines, 0);
    let to = offset;
    let style: ReadonlySet<string> = new Set();
    for (const piece of pieces) {
      lines -= piece.lines;
      if (lines <= keptLines) break;
      style = joinStyles(style, piece.style);
      to = piece.end;
    }
    return to > offset ? { to, style } : undefined;
  }

  /** Lines of the plain output behind an offset. */
  linesFrom(offset: number): number {
    return this.#pieces.reduce((sum, { end, lines }) => (end > offset ? sum + lines : sum), 0);
  }

  /** How much to read from an offset, so that a reader may jump from where it then is. */
  readableBytes(offset: number, maxBytes: number): number {
    const last = this.#pieces.findLast(({ end }) => end > offset && end <= offset + maxBytes);
    return last ? last.end - offset : maxBytes;
  }

  #addPiece(bytes: Uint8Array, start: number): void {
    const end = start + bytes.length;
    const { plain, lines, style } = outlineOf(bytes, this.#convertEol);
    if (!plain || this.#open) {
      // Plain text ends a sequence that was cut off; a string may go on, but is not a line of the terminal.
      this.#open = plain ? !endsSequence(bytes) : true;
      this.#pieces = [];
      this.#plainFrom = end;
      return;
    }
    const last = this.#pieces.at(-1);
    if (last && end - last.start <= this.#pieceBytes) {
      last.end = end;
      last.lines += lines;
      last.style = joinStyles(last.style, style);
    } else this.#pieces.push({ start, end, lines, style });
  }

  /** Behind a line end: neither a character nor a sequence is cut there. */
  #pieceEnd(bytes: Uint8Array, from: number): number {
    if (bytes.length - from <= this.#pieceBytes) return bytes.length;
    const last = bytes.lastIndexOf(LF, from + this.#pieceBytes - 1);
    if (last >= from) return last + 1;
    const next = bytes.indexOf(LF, from);
    return next < 0 ? bytes.length : next + 1;
  }
}

/** The first such byte may belong to what introduces a sequence, the second ends it. */
function endsSequence(bytes: Uint8Array): boolean {
  let count = 0;
  for (const byte of bytes) {
    if (byte >= 0x40 && byte < 0x7f) count += 1;
    if (count === 2) return true;
  }
  return false;
}
