import { TypingFirst } from '../../shared/typing-first.ts';

/** While floods are read they get so long at a time, then everything else gets so long for itself. */
export const READ_MS = 4;
export const REST_MS = 1;
/** Less than this in `READ_MS` is no flood. */
const FLOOD_BYTES = 32 * 1024;

/** A terminal whose program can be made to wait: it is not read. */
export interface Holdable {
  held: boolean;
}

/**
 * When the programs of terminals are read. A flood would keep the processors as busy as it is let: its program, the reading of
 * it, the page. So all rest between whiles; and from a key to its echo only the terminal that was typed into is read.
 */
export class ReadingPace {
  readonly #terminals = new Set<Holdable>();
  readonly #typing = new TypingFirst(() => this.#apply());
  #typedInto: Holdable | undefined;
  #bytes = 0;
  #resting = false;
  #timer: NodeJS.Timeout | undefined;

  add(terminal: Holdable): void {
    this.#terminals.add(terminal);
    this.#apply();
  }

  remove(terminal: Holdable): void {
    this.#terminals.delete(terminal);
    this.answered(terminal);
    if (this.#typedInto === terminal) this.#typedInto = undefined;
  }

  typed(terminal: Holdable): void {
    this.#typedInto = terminal;
    this.#typing.typed();
    this.#apply();
  }

  /** All that the terminal has printed is on the screen of a reader. */
  answered(terminal: Holdable): void {
    if (this.#typedInto === terminal) this.#typing.answered();
  }

  /** So much was read from any of the terminals. */
  read(bytes: number): void {
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.#rest(), READ_MS);
  }

  #rest(): void {
    this.#timer = undefined;
    const flood = this.#bytes >= FLOOD_BYTES;
    this.#bytes = 0;
    if (!flood) return;
    this.#resting = true;
    this.#apply();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#resting = false;
      this.#apply();
    }, REST_MS);
  }

  #apply(): void {
    for (const terminal of this.#terminals) {
      terminal.held = this.#typing.holding ? terminal !== this.#typedInto : this.#resting;
    }
  }
}
