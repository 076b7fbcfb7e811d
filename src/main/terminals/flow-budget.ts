import { STREAM_HIGH_BYTES } from '../../shared/contract.ts';

/** A reader that leaves output unanswered for so long gives its share back: its window hangs, or is far away. */
const STALLED_MS = 250;

/** A reader as the budget sees it. */
export interface BudgetReader {
  /** Bytes of the budget that it uses. */
  readonly reservedBytes: number;
  silentMs(nowMs: number): number;
  /** Sends one frame. True where it wants to send more. */
  sendFrame(): boolean;
  /** From now on it sends beside the budget, until it answers in time again. */
  stall(): void;
}

/**
 * How much may be on its way to readers without being acknowledged, all of them together, and whose turn it is. A page has
 * one thread for all its panes: were each of fifteen floods allowed its own window, the echo in the sixteenth pane would wait
 * for all; were the window cut into fifteen, each frame would draw fifteen panes. So they take turns with whole frames.
 */
export class FlowBudget {
  readonly #highBytes: number;
  readonly #queue = new Set<BudgetReader>();
  readonly #users = new Set<BudgetReader>();
  #draining = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(highBytes = STREAM_HIGH_BYTES) {
    this.#highBytes = highBytes;
  }

  /** Gives the reader its turn, now or when it comes. */
  request(reader: BudgetReader): void {
    this.#queue.add(reader);
    this.drain();
  }

  /** A reader has gone. */
  leave(reader: BudgetReader): void {
    this.#queue.delete(reader);
    this.#users.delete(reader);
    this.drain();
  }

  /** Lets readers send while the budget lasts; to be called when something was acknowledged. */
  drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (const reader of this.#queue) {
        if (this.#inFlightBytes() >= this.#highBytes) break;
        this.#queue.delete(reader);
        // A set goes on with what is added while it is walked through: the reader comes again after the others.
        if (reader.sendFrame()) this.#queue.add(reader);
        this.#users.add(reader);
      }
    } finally {
      this.#draining = false;
    }
    this.#watch();
  }

  #stall(reader: BudgetReader): void {
    this.#queue.delete(reader);
    this.#users.delete(reader);
    reader.stall();
  }

  #inFlightBytes(): number {
    let sum = 0;
    for (const reader of this.#users) {
      if (reader.reservedBytes === 0) this.#users.delete(reader);
      else sum += reader.reservedBytes;
    }
    return sum;
  }

  /** While somebody waits, looks after those who hold the budget. */
  #watch(): void {
    if (this.#queue.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const nowMs = performance.now();
      for (const reader of this.#users) if (reader.silentMs(nowMs) >= STALLED_MS) this.#stall(reader);
      this.drain();
    }, STALLED_MS);
  }
}
