import type { SessionSink } from '../../shared/rpc/server.ts';
import type { OutputRing } from './output-ring.ts';

const FRAME_BYTES = 64 * 1024;

/**
 * One reader of a session: an offset in its output, and how much of what was sent is not acknowledged. It takes what the
 * ring still has; a reader that falls further behind skips, and is told how much.
 */
export class Viewer {
  readonly #sink: SessionSink;
  readonly #highBytes: number;
  #sent = 0;
  #unacknowledged = 0;
  #lastAckAtMs: number;
  #ended = false;
  #pumping = false;
  /** False while it takes no part in holding the program, since it has stopped answering. */
  holds = true;

  constructor(sink: SessionSink, highBytes: number, nowMs: number) {
    this.#sink = sink;
    this.#highBytes = highBytes;
    this.#lastAckAtMs = nowMs;
  }

  /** Output that it has not dealt with. */
  lag(ring: OutputRing): number {
    return ring.end - this.#sent + this.#unacknowledged;
  }

  /** Sends what fits under the watermark, then, after the last byte of an ended session, the end. */
  pump(ring: OutputRing, ended: { exitCode: number | undefined } | undefined, nowMs: number): void {
    // A sink that acknowledges while it is written to would come back in here.
    if (this.#pumping || this.#ended) return;
    this.#pumping = true;
    try {
      while (!this.#ended && this.#unacknowledged < this.#highBytes) {
        const piece = ring.read(this.#sent, FRAME_BYTES);
        if (!piece) break;
        if (this.#unacknowledged === 0) this.#lastAckAtMs = nowMs;
        this.#sent += piece.skipped + piece.bytes.length;
        this.#unacknowledged += piece.bytes.length;
        this.#sink.data(piece.bytes, piece.skipped);
      }
    } finally {
      this.#pumping = false;
    }
    if (ended && !this.#ended && this.#sent >= ring.end) {
      this.#ended = true;
      this.#sink.end(ended.exitCode);
    }
  }

  /** Nothing more is sent. */
  detach(): void {
    this.#ended = true;
  }

  acknowledge(bytes: number, nowMs: number): void {
    this.#unacknowledged = Math.max(0, this.#unacknowledged - bytes);
    this.#lastAckAtMs = nowMs;
  }

  /** How long it has left sent output unanswered. */
  silentMs(nowMs: number): number {
    return this.#unacknowledged === 0 ? 0 : nowMs - this.#lastAckAtMs;
  }
}
