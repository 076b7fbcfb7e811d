import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import { Coalescer } from './coalescer.ts';
import type { FlowBudget } from './flow-budget.ts';
import { OutputRing } from './output-ring.ts';
import { Redactor } from './redactor.ts';
import type { TranscriptWriter } from './transcript.ts';
import { Viewer, type ViewerSource } from './viewer.ts';

/** What a pane gets to see when it is opened, and how far behind a reader of a headless program may be. */
export const RING_BYTES = 512 * 1024;
/** A terminal's program is held while this much waits for its fastest reader, so that there is always something to send next. */
const HOLD_BYTES = 256 * 1024;
const RELEASE_BYTES = 128 * 1024;
/** A reader that does not answer for this long no longer holds the program: its window hangs, or is a background tab. */
const SILENT_MS = 10_000;
/** How long output is held back that may turn out to begin a secret. */
const HOLD_BACK_MS = 200;

export interface Throttle {
  pause(): void;
  resume(): void;
}

/**
 * The output of one session on its way from the program to the transcript and to everyone who looks. Only a program with a
 * `throttle` is ever held back by a slow reader.
 */
export class SessionOutput implements ViewerSource {
  readonly #coalescer: Coalescer;
  readonly #redactor: Redactor;
  #late: NodeJS.Timeout | undefined;
  readonly #transcript: TranscriptWriter;
  readonly #viewers = new Set<Viewer>();
  ring: OutputRing | undefined = new OutputRing(RING_BYTES);
  readonly #onReleased: () => void;
  #complete = false;
  #throttle: Throttle | undefined;
  #paused = false;
  #watch: NodeJS.Timeout | undefined;
  ended: { exitCode: number | undefined } | undefined;

  /** `onReleased`: it has ended, the transcript is complete and nobody looks; what is kept in memory can go. */
  constructor(transcript: TranscriptWriter, secrets: readonly string[], onReleased: () => void) {
    this.#redactor = new Redactor(secrets);
    this.#transcript = transcript;
    this.#onReleased = onReleased;
    this.#coalescer = new Coalescer((bytes) => this.#redact(bytes));
  }

  throttleWith(throttle: Throttle): void {
    this.#throttle = throttle;
  }

  write(bytes: Uint8Array): void {
    if (!this.ended) this.#coalescer.push(bytes);
  }

  attach(sink: SessionSink, budget: FlowBudget): SessionAttachment {
    const viewer = new Viewer(sink, this, budget);
    this.#viewers.add(viewer);
    viewer.offer();
    this.taken();
    return {
      ack: (bytes) => viewer.acknowledge(bytes),
      detach: () => {
        viewer.detach();
        this.#viewers.delete(viewer);
        this.taken();
        this.#release();
      },
    };
  }

  /** The last output goes out, then the end. Settles when the transcript is complete. */
  async end(exitCode: number | undefined): Promise<void> {
    if (this.ended) return;
    this.#coalescer.end();
    clearTimeout(this.#late);
    this.#publish(this.#redactor.end());
    this.ended = { exitCode };
    clearTimeout(this.#watch);
    for (const viewer of this.#viewers) viewer.offer();
    await this.#transcript.close();
    this.#complete = true;
    this.#release();
  }

  #release(): void {
    if (!this.#complete || this.#viewers.size > 0) return;
    // Whoever still holds this session, its owner for instance, does not hold its output.
    this.ring = undefined;
    this.#onReleased();
  }

  #redact(bytes: Buffer): void {
    this.#publish(this.#redactor.push(bytes));
    if (!this.#redactor.holding) {
      clearTimeout(this.#late);
      this.#late = undefined;
    } else {
      this.#late ??= setTimeout(() => {
        this.#late = undefined;
        this.#publish(this.#redactor.late());
      }, HOLD_BACK_MS);
    }
  }

  #publish(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.ring?.append(bytes);
    this.#transcript.write(bytes);
    for (const viewer of this.#viewers) viewer.offer();
    this.taken();
  }

  /**
   * Holds the program while the fastest reader that answers is too far behind, or the disk is. A slower one (a background
   * tab, a window far away) does not slow the others down: it skips what the ring no longer has.
   */
  taken(): void {
    if (!this.#throttle || this.ended) return;
    const nowMs = performance.now();
    let least: number | undefined;
    for (const viewer of this.#viewers) {
      const backlog = viewer.backlogBytes;
      if (viewer.silentMs(nowMs) > SILENT_MS) viewer.holds = false;
      else if (backlog <= RELEASE_BYTES) viewer.holds = true;
      if (viewer.holds) least = Math.min(least ?? backlog, backlog);
    }
    const congested = this.#transcript.congested;
    const behind = least ?? 0;
    if (!this.#paused && (behind > HOLD_BYTES || congested)) {
      this.#paused = true;
      this.#throttle.pause();
    } else if (this.#paused && behind <= RELEASE_BYTES && !congested) {
      this.#paused = false;
      this.#throttle.resume();
    }
    this.#watchWhilePaused(congested);
  }

  /** A held program causes no event of its own: look again, since a reader may stay silent or the disk catch up. */
  #watchWhilePaused(congested: boolean): void {
    clearTimeout(this.#watch);
    if (this.#paused) this.#watch = setTimeout(() => this.taken(), congested ? 50 : SILENT_MS / 4);
  }
}
