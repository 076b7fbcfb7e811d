import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import { Redactor } from '../redaction/redactor.ts';
import { AnswerTurns } from './answer-turns.ts';
import { Coalescer } from './coalescer.ts';
import type { FlowBudget } from './flow-budget.ts';
import { HOLD_BYTES, OutputRing, RING_BYTES } from './output-ring.ts';
import type { TranscriptWriter } from './transcript.ts';
import { UnseenOutput } from './unseen-output.ts';
import { Viewer, type ViewerSource } from './viewer.ts';

const RELEASE_BYTES = HOLD_BYTES - 64 * 1024;
/** A reader that does not answer for this long no longer holds the program: its window hangs, or is a background tab. */
const SILENT_MS = 10_000;
/** How long output is held back that may turn out to begin a secret. */
const HOLD_BACK_MS = 200;

export type SessionOutputOptions = {
  transcript: TranscriptWriter;
  secrets: readonly string[];
  /** In this session's terminals a line feed alone begins a new line. */
  convertEol: boolean;
  /** It has ended, the transcript is complete and nobody looks; what is kept in memory can go. */
  onReleased(): void;
  /** All that was printed is on the screen of a reader. */
  onShown?(): void;
  /** The page that opened it, and answers what it asks from its first byte on. */
  opener?: object;
};

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
  readonly unseen: UnseenOutput;
  readonly turns: AnswerTurns;
  readonly #pages = new Map<object, Viewer>();
  readonly #onReleased: () => void;
  readonly #onShown: (() => void) | undefined;
  #complete = false;
  #throttle: Throttle | undefined;
  #held = false;
  #paused = false;
  #watch: NodeJS.Timeout | undefined;
  ended: { exitCode: number | undefined } | undefined;

  constructor(options: SessionOutputOptions) {
    const { transcript, secrets, convertEol, onReleased, onShown, opener } = options;
    this.unseen = new UnseenOutput(convertEol);
    this.turns = new AnswerTurns(opener);
    this.#redactor = new Redactor(secrets);
    this.#transcript = transcript;
    transcript.onRelieved = () => this.taken();
    this.#onReleased = onReleased;
    this.#onShown = onShown;
    this.#coalescer = new Coalescer((bytes) => this.#redact(bytes));
  }

  throttleWith(throttle: Throttle): void {
    this.#throttle = throttle;
  }

  /** True while its program must wait, whatever its readers do. */
  set held(held: boolean) {
    if (this.#held === held) return;
    this.#held = held;
    this.taken();
  }

  /** The bytes are copied. */
  write(bytes: Uint8Array): void {
    if (!this.ended) this.#coalescer.push(bytes);
  }

  attach(sink: SessionSink, budget: FlowBudget, page: object = {}): SessionAttachment {
    const viewer = new Viewer(sink, this, budget);
    this.#viewers.add(viewer);
    this.#pages.set(page, viewer);
    this.turns.join(viewer, this.#end, page);
    viewer.offer();
    this.taken();
    return {
      ack: (bytes, keptLines) => {
        viewer.acknowledge(bytes, keptLines);
        if (viewer.upToDate) this.#onShown?.();
      },
      detach: () => {
        viewer.detach();
        this.#viewers.delete(viewer);
        if (this.#pages.get(page) === viewer) this.#pages.delete(page);
        this.turns.leave(viewer, this.#end);
        this.taken();
        this.#release();
      },
    };
  }

  /** A person typed in a page: it answers what the program asks from now on. */
  typedIn(page: object): void {
    const viewer = this.#pages.get(page);
    if (viewer) this.turns.used(viewer, this.#end);
  }

  /** The last output goes out, then the end. Settles when the transcript is complete. */
  async end(exitCode: number | undefined): Promise<void> {
    if (this.ended) return;
    this.#coalescer.end();
    clearTimeout(this.#late);
    this.#publish([this.#redactor.end()]);
    this.ended = { exitCode };
    clearTimeout(this.#watch);
    for (const viewer of this.#viewers) viewer.offer();
    await this.#transcript.close();
    this.#complete = true;
    this.#release();
  }

  get #end(): number {
    return this.ring?.end ?? 0;
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
        this.#publish([this.#redactor.late()]);
      }, HOLD_BACK_MS);
    }
  }

  #publish(parts: readonly Buffer[]): void {
    for (const part of parts) {
      if (part.length === 0) continue;
      this.#transcript.write(part);
      if (!this.ring) continue;
      this.unseen.add(part, this.ring.end);
      for (const viewer of this.#viewers) viewer.grows();
      this.ring.append(part);
      this.unseen.trim(this.ring.start);
      this.turns.trim(this.ring.start);
    }
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
    if (!this.#paused && (this.#held || behind > HOLD_BYTES || congested)) {
      this.#paused = true;
      this.#throttle.pause();
    } else if (this.#paused && !this.#held && behind <= RELEASE_BYTES && !congested) {
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
