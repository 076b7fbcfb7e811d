import type { SessionSink } from '../../shared/rpc/server.ts';
import type { BudgetReader, FlowBudget } from './flow-budget.ts';
import type { OutputRing } from './output-ring.ts';

const FRAME_BYTES = 64 * 1024;
/** An echo or a prompt does not wait for its turn. */
const QUIET_BYTES = 1024;
/** An answer within this time ends a stall. */
const IN_TIME_MS = 100;

/** What a viewer reads from. */
export interface ViewerSource {
  /** Undefined until it is loaded. */
  readonly ring: OutputRing | undefined;
  readonly ended: { exitCode: number | undefined } | undefined;
  /** The viewer took something: less waits for it. */
  taken(): void;
}

/**
 * One reader of a session: an offset in its output, and how much of what was sent is not acknowledged. It takes what the
 * ring still has; a reader that falls further behind skips, and is told how much.
 */
export class Viewer implements BudgetReader {
  readonly #sink: SessionSink;
  readonly #source: ViewerSource;
  readonly #budget: FlowBudget;
  #sent = 0;
  #unacknowledged = 0;
  #reserved = 0;
  #waitsSinceMs = 0;
  #stalled = false;
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

  /** Output that waits to be sent to it. */
  get backlogBytes(): number {
    return (this.#source.ring?.end ?? 0) - this.#sent;
  }

  /** There is more output, or the end: sends it, or waits for its turn. */
  offer(): void {
    // A sink that acknowledges while it is written to would come back in here.
    if (this.#over || this.#offering) return;
    this.#offering = true;
    try {
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
    this.#send(true);
    this.#finish();
    return !this.#over && this.backlogBytes > 0;
  }

  acknowledge(bytes: number): void {
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
    this.#reserved = 0;
    this.#budget.leave(this);
  }

  /** True where something was sent that needs no turn. */
  #sendBesideBudget(): boolean {
    const { backlogBytes } = this;
    if (backlogBytes === 0) return false;
    const quiet = backlogBytes + this.#unacknowledged <= QUIET_BYTES;
    if (!quiet && !(this.#stalled && this.#unacknowledged < FRAME_BYTES)) return false;
    this.#send(false);
    return true;
  }

  #send(reserve: boolean): void {
    const piece = this.#source.ring?.read(this.#sent, FRAME_BYTES);
    if (!piece) return;
    const { length } = piece.bytes;
    if (this.#unacknowledged === 0) this.#waitsSinceMs = performance.now();
    // All is counted before the sink is told, which may acknowledge at once.
    this.#sent += piece.skipped + length;
    this.#unacknowledged += length;
    if (reserve) this.#reserved += length;
    this.#sink.data(piece.bytes, piece.skipped);
    this.#source.taken();
  }

  #finish(): void {
    const { ended } = this.#source;
    if (this.#over || !ended || this.backlogBytes > 0) return;
    this.detach();
    this.#sink.end(ended.exitCode);
  }
}
