import { joinStyles } from '../redaction/outline.ts';
import type { UnseenOutput } from './unseen-output.ts';

/**
 * What one reader of a terminal need not be sent. The reader says with each acknowledgement behind how many lines of plain output
 * nothing is left of what stood before them; that holds once it has dealt with all that is more than plain.
 */
export class PassingOver {
  #keptLines: number | undefined;
  /** To be acknowledged until the reader has dealt with all that is more than plain. */
  #unsettledBytes = 0;
  #passedBytes = 0;
  #style: ReadonlySet<string> = new Set();

  get allowed(): boolean {
    return this.#keptLines !== undefined && this.#unsettledBytes === 0;
  }

  acknowledged(bytes: number, keptLines: number | undefined): void {
    this.#keptLines = keptLines;
    this.#unsettledBytes = Math.max(0, this.#unsettledBytes - bytes);
  }

  /** Output that is more than plain, or has a gap before it, is the last of so much that is not acknowledged. */
  unsettled(unacknowledgedBytes: number): void {
    this.#unsettledBytes = unacknowledgedBytes;
  }

  /** Where a reader goes on that has been sent all up to an offset. */
  ahead(unseen: UnseenOutput, offset: number): number {
    if (this.#keptLines === undefined || !this.allowed) return offset;
    const passable = unseen.passable(offset, this.#keptLines);
    if (!passable) return offset;
    this.#passedBytes += passable.to - offset;
    this.#style = joinStyles(this.#style, passable.style);
    return passable.to;
  }

  /** Would `roomBytes` of such output as stands behind an offset have more lines than the terminal keeps? */
  fits(
    unseen: UnseenOutput,
    { offset, bytes, roomBytes }: Record<'offset' | 'bytes' | 'roomBytes', number>,
  ): boolean {
    return this.#keptLines !== undefined && unseen.linesFrom(offset) * roomBytes > this.#keptLines * bytes;
  }

  /** What was passed over since it was last taken: how much, less the colours it left behind. */
  take(): { style: Buffer; bytes: number } {
    const style = Buffer.from([...this.#style].join(''), 'latin1');
    const bytes = this.#passedBytes - style.length;
    this.#style = new Set();
    this.#passedBytes = 0;
    return { style, bytes };
  }
}
