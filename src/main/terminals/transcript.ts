import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatBytes } from '../../shared/sizes.ts';
import { BLOCK_BYTES, giveBlock, takeBlock } from './output-memory.ts';
import { characterStart } from './utf8.ts';

/** The beginning is kept up to HEAD_BYTES and the end in at most two segments of TAIL_BYTES: 64 MB a session at most. */
export type TranscriptLimits = { headBytes: number; tailBytes: number };
const LIMITS: TranscriptLimits = { headBytes: 32 * 1024 * 1024, tailBytes: 16 * 1024 * 1024 };
/** More than this waiting for the disk: the program is held, where it can be. */
const CONGESTED_BYTES = 256 * 1024;
/** More than this: output is left out of the transcript. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const COPY_BYTES = 1024 * 1024;

const leftOut = (bytes: number): Buffer =>
  Buffer.from(`\r\n\u001b[0m[headway: ${formatBytes(bytes)} of output left out here]\r\n`);

/**
 * A session's output on disk. Appends only; of very long output the middle is left out, visibly. A disk that fails ends the
 * transcript, not the session.
 */
export class TranscriptWriter {
  readonly #file: string;
  readonly #limits: TranscriptLimits;
  readonly #onFailure: (error: Error) => void;
  /** Blocks of output, all but the last one full. */
  #waiting: Buffer[] = [];
  #lastBytes = 0;
  #waitingBytes = 0;
  #droppedBytes = 0;
  #writing: Promise<void> | undefined;
  #handle: FileHandle | undefined;
  /** Offset of the next byte, and where the current part began. */
  #offset = 0;
  #partStart = 0;
  #tails: string[] = [];
  #failed = false;
  /** No longer congested. */
  onRelieved: (() => void) | undefined;

  constructor(file: string, onFailure: (error: Error) => void, limits: TranscriptLimits = LIMITS) {
    this.#file = file;
    this.#onFailure = onFailure;
    this.#limits = limits;
  }

  get congested(): boolean {
    return this.#waitingBytes > CONGESTED_BYTES;
  }

  /** The bytes are copied. */
  write(bytes: Uint8Array): void {
    if (this.#failed || bytes.length === 0) return;
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#droppedBytes += bytes.length;
      return;
    }
    if (this.#droppedBytes > 0) {
      const mark = leftOut(this.#droppedBytes);
      this.#droppedBytes = 0;
      this.write(mark);
    }
    this.#keep(bytes);
    this.#writing ??= this.#drain();
  }

  #keep(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.#waiting.length === 0 || this.#lastBytes === BLOCK_BYTES) {
        this.#waiting.push(takeBlock());
        this.#lastBytes = 0;
      }
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#lastBytes);
      this.#waiting.at(-1)?.set(part, this.#lastBytes);
      this.#lastBytes += part.length;
      from += part.length;
    }
    this.#waitingBytes += bytes.length;
  }

  /** Everything is on disk, in one file, when it settles. */
  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#droppedBytes > 0) this.write(leftOut(this.#droppedBytes));
    while (this.#writing) await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
    if (this.#tails.length > 0) await joinTranscript(this.#file).catch((error) => this.#fail(error));
  }

  async #drain(): Promise<void> {
    try {
      for (let block = this.#waiting.shift(); block; block = this.#waiting.shift()) {
        const bytes = block.subarray(0, this.#waiting.length === 0 ? this.#lastBytes : BLOCK_BYTES);
        await this.#append(bytes);
        giveBlock(block);
        const { congested } = this;
        this.#waitingBytes -= bytes.length;
        if (congested && !this.congested) this.onRelieved?.();
      }
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      this.#writing = undefined;
    }
  }

  async #append(bytes: Buffer): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const limit = this.#tails.length === 0 ? this.#limits.headBytes : this.#limits.tailBytes;
      const room = limit - (this.#offset - this.#partStart);
      if (this.#handle && room <= 0) await this.#nextPart();
      this.#handle ??= await this.#open(this.#file);
      const piece = rest.subarray(0, room > 0 ? room : this.#limits.tailBytes);
      await this.#handle.writeFile(piece);
      this.#offset += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  async #nextPart(): Promise<void> {
    await this.#handle?.close();
    const name = `${this.#file}.tail-${this.#offset}`;
    this.#handle = await this.#open(name);
    this.#partStart = this.#offset;
    this.#tails.push(name);
    if (this.#tails.length > 2) await rm(this.#tails.shift() as string, { force: true });
  }

  async #open(file: string): Promise<FileHandle> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return open(file, 'a', 0o600);
  }

  async #fail(thrown: unknown): Promise<void> {
    this.#failed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#handle?.close().catch(() => undefined); // the disk has failed already; that is what is told
    this.#handle = undefined;
    this.#onFailure(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}

async function tailParts(file: string): Promise<{ path: string; start: number }[]> {
  const prefix = `${basename(file)}.tail-`;
  const names = await readdir(dirname(file)).catch(() => [] as string[]);
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ path: join(dirname(file), name), start: Number(name.slice(prefix.length)) }))
    .sort((a, b) => a.start - b.start);
}

/** Joins the parts of a transcript into one file; does nothing where it is one already. A crash in between repeats it. */
async function joinTranscript(file: string): Promise<void> {
  const parts = await tailParts(file);
  if (parts.length === 0) return;
  const joined = `${file}.joined`;
  await rm(joined, { force: true });
  const target = await open(joined, 'a', 0o600);
  try {
    let offset = await copyInto(target, file, false);
    for (const part of parts) {
      const gap = part.start - offset;
      if (gap > 0) await target.writeFile(leftOut(gap));
      offset = part.start + (await copyInto(target, part.path, gap > 0));
    }
  } finally {
    await target.close();
  }
  await rename(joined, file);
  for (const part of parts) await rm(part.path, { force: true });
}

/** Returns the size of the source. */
async function copyInto(target: FileHandle, source: string, afterGap: boolean): Promise<number> {
  const from = await open(source, 'r');
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    let total = 0;
    for (;;) {
      const { bytesRead } = await from.read(buffer, 0, COPY_BYTES, total);
      if (bytesRead === 0) return total;
      const begin = afterGap && total === 0 ? characterStart(buffer.subarray(0, bytesRead), 0) : 0;
      await target.writeFile(buffer.subarray(begin, bytesRead));
      total += bytesRead;
    }
  } finally {
    await from.close();
  }
}

/** The last `maxBytes` of a transcript and how much stands before them; nothing where there is no file. */
export async function readTranscriptTail(
  file: string,
  maxBytes: number,
): Promise<{ bytes: Buffer; skipped: number }> {
  await joinTranscript(file).catch(() => undefined); // read what there is
  const size = await stat(file).then(
    (info) => info.size,
    () => 0,
  );
  if (size === 0) return { bytes: Buffer.alloc(0), skipped: 0 };
  const from = Math.max(0, size - maxBytes);
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(size - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    return { bytes: buffer.subarray(0, bytesRead), skipped: from };
  } finally {
    await handle.close();
  }
}
