import type { SessionSink } from '../../shared/rpc/server.ts';
import type { AnswerTurns } from './answer-turns.ts';
import type { BudgetReader, FlowBudget } from './flow-budget.ts';
import { HOLD_BYTES, type OutputRing } from './output-ring.ts';
import { PassingOver } from './passing-over.ts';
import { PIECE_BYTES, type UnseenOutput } from './unseen-output.ts';

const FRAME_BYTES = 64 * 1024;
/** An echo or a prompt does not wait for its turn. */
const QUIET_BYTES = 1024;
/** An answer within this time ends a stall. */
const IN_TIME_MS = 100;
/** A flood outruns the eye while so much of it waits, and some of it has come so lately. */
const OUTRUNNING_BYTES = 64 * 1024;
const OUTRUNNING_MS = 32;

/** What a viewer reads from. */
export interface ViewerSource {
  /** Undefined until it is loaded. */
  readonly ring: OutputRing | undefined;
  /** Undefined where all of it is to be sent. */
  readonly unseen?: UnseenOutput;
  /** Undefined where nothing of it is to be answered. */
  readonly turns?: AnswerTurns;
  readonly ended: { exitCode: number | undefined } | undefined;
  /** The viewer took something: less waits for it. */
  taken(): void;
}

/**
 * One reader of a session: an offset in its output, and how much of what was sent is not acknowledged. It takes what the
 * ring still has; a reader that falls further behind skips, and is told how much. What its terminal would no longer have by the
 * time it is there is not sent.
 */
export class Viewer implements BudgetReader {
  readonly #sink: SessionSink;
  readonly #source: ViewerSource;
  readonly #budget: FlowBudget;
  readonly #passing = new PassingOver();
  #sent = 0;
  #unacknowledged = 0;
  #reserved = 0;
  #waitsSinceMs = 0;
  #stalled = false;
  #grownMs = Number.NEGATIVE_INFINITY;
  #calm: NodeJS.Timeout | undefined;
  #over = false;
  #offering = false;
  /** False while it takes no part in holding the program, since it has stopped answering. */
  holds = true;

  constructor(sink: SessionSink, source: ViewerSource, budget: FlowBudget) {
    this.#sink = sink;
    this.#source = source;
    this.#budget = budget;
  }

  get reservedBytes(): number {
    return this.#reserved;
  }

  /** All that was printed is on its screen. */
  get upToDate(): boolean {
    return this.backlogBytes === 0 && this.#unacknowledged === 0;
  }

  /** Output that waits to be sent to it. */
  get backlogBytes(): number {
    return (this.#source.ring?.end ?? 0) - this.#sent;
  }

  /** More output is coming to the source; to be called before the ring lets go of what it has no room for. */
  grows(): void {
    this.#grownMs = performance.now();
    this.#passOver();
  }

  /** There is more output, or the end: sends it, or waits for its turn. */
  offer(): void {
    // A sink that acknowledges while it is written to would come back in here.
    if (this.#over || this.#offering) return;
    this.#offering = true;
    try {
      this.#passOver();
      while (!this.#over && this.#sendBesideBudget());
    } finally {
      this.#offering = false;
    }
    if (this.#over) return;
    if (this.backlogBytes > 0 && !this.#stalled) this.#budget.request(this);
    this.#finish();
  }

  sendFrame(): boolean {
    if (this.#over) return false;
    this.#passOver();
    if (!this.#outruns()) {
      this.#send(true, FRAME_BYTES);
      this.#finish();
      return !this.#over && this.backlogBytes > 0;
    }
    // A piece at a time, as often as the reader takes one, and beside the budget; all of it once no more comes.
    this.#calm ??= setTimeout(() => {
      this.#calm = undefined;
      this.offer();
    }, OUTRUNNING_MS);
    if (this.#unacknowledged === 0) this.#send(false, PIECE_BYTES);
    return false;
  }

  acknowledge(bytes: number, keptLines?: number): void {
    this.#passing.acknowledged(bytes, keptLines);
    const nowMs = performance.now();
    if (this.silentMs(nowMs) < IN_TIME_MS) this.#stalled = false;
    this.#unacknowledged = Math.max(0, this.#unacknowledged - bytes);
    this.#reserved = Math.max(0, this.#reserved - bytes);
    this.#waitsSinceMs = nowMs;
    if (this.#over) return;
    this.offer();
    this.#budget.drain();
  }

  /** How long it has left sent output unanswered. */
  silentMs(nowMs: number): number {
    return this.#unacknowledged === 0 ? 0 : nowMs - this.#waitsSinceMs;
  }

  stall(): void {
    this.#stalled = true;
    this.#reserved = 0;
    this.offer();
  }

  /** Nothing more is sent. */
  detach(): void {
    this.#over = true;
    clearTimeout(this.#calm);
    this.#reserved = 0;
    this.#budget.leave(this);
  }

  /** True where something was sent that needs no turn. */
  #sendBesideBudget(): boolean {
    const { backlogBytes } = this;
    if (backlogBytes === 0) return false;
    const quiet = backlogBytes + this.#unacknowledged <= QUIET_BYTES;
    if (!quiet && !(this.#stalled && this.#unacknowledged < FRAME_BYTES)) return false;
    this.#send(false, FRAME_BYTES);
    return true;
  }

  #passOver(): void {
    const { unseen } = this.#source;
    if (unseen) this.#sent = this.#passing.ahead(unseen, this.#sent);
  }

  #outruns(): boolean {
    const { unseen, ended } = this.#source;
    const bytes = this.backlogBytes;
    if (!unseen || ended || !this.#passing.allowed || bytes < OUTRUNNING_BYTES) return false;
    if (performance.now() - this.#grownMs > OUTRUNNING_MS) return false;
    // Where lines are long all of it has to be sent.
    return this.#passing.fits(unseen, { offset: this.#sent, bytes, roomBytes: HOLD_BYTES });
  }

  #send(reserve: boolean, maxBytes: number): void {
    const { ring, unseen, turns } = this.#source;
    if (!ring) return;
    const from = Math.max(this.#sent, ring.start);
    const turn = turns?.at(this, from);
    const readable = unseen?.readableBytes(this.#sent, maxBytes) ?? maxBytes;
    const piece = ring.read(this.#sent, Math.min(readable, (turn?.until ?? Number.POSITIVE_INFINITY) - from));
    if (!piece) return;
    const unsettles = piece.skipped > 0 || this.#sent < (unseen?.plainFrom ?? 0);
    const passed = this.#passing.take();
    const bytes = passed.style.length > 0 ? Buffer.concat([passed.style, piece.bytes]) : piece.bytes;
    const { length } = bytes;
    if (this.#unacknowledged === 0) this.#waitsSinceMs = performance.now();
    // All is counted before the sink is told, which may acknowledge at once.
    this.#sent += piece.skipped + piece.bytes.length;
    this.#unacknowledged += length;
    if (unsettles) this.#passing.unsettled(this.#unacknowledged);
    if (reserve) this.#reserved += length;
    const outruns = maxBytes === PIECE_BYTES || passed.bytes > 0;
    this.#sink.data(bytes, piece.skipped, outruns ? passed.bytes : undefined, turn?.answers ?? false);
    this.#source.taken();
  }

  #finish(): void {
    const { ended } = this.#source;
    if (this.#over || !ended || this.backlogBytes > 0) return;
    this.detach();
    this.#sink.end(ended.exitCode);
  }
}
