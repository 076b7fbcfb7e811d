import type { ParseTarget } from './backlog.ts';

/** What of xterm.js is asked here. */
interface AnsweringTerminal {
  write(output: Uint8Array | string, parsed?: () => void): void;
  onData(listener: (text: string) => void): unknown;
}

/** xterm.js tells by this alone what a person did from what it says by itself; its add-ons reach for it the same way. */
type Core = { _core?: { coreService?: { onUserInput?(listener: () => void): unknown } } };

/**
 * Stands before a terminal and knows of each answer that it gives which bytes it answers: those that are parsed just then. Only
 * what the engine has marked for this reader is answered. What a person types always goes through.
 */
export class AnswerGate implements ParseTarget {
  readonly #terminal: AnsweringTerminal;
  /** Written and not parsed yet, in order: may it be answered? */
  #unparsed: boolean[] = [];
  #byPerson = false;

  constructor(terminal: AnsweringTerminal, on: { typed(text: string): void; answered(text: string): void }) {
    this.#terminal = terminal;
    const { onUserInput } = (terminal as Core)._core?.coreService ?? {};
    if (!onUserInput)
      throw new Error('This xterm.js does not tell what a person typed from its own answers.');
    // It is told right before the data itself.
    onUserInput(() => {
      this.#byPerson = true;
    });
    terminal.onData((text) => {
      const byPerson = this.#byPerson;
      this.#byPerson = false;
      if (byPerson) on.typed(text);
      // While nothing is parsed it speaks of what happens now, such as that it got the focus.
      else if (this.#unparsed[0] ?? true) on.answered(text);
    });
  }

  write(output: Uint8Array | string, parsed?: () => void, answers = false): void {
    this.#unparsed.push(answers);
    this.#terminal.write(output, () => {
      this.#unparsed.shift();
      parsed?.();
    });
  }

  /** The connection by which it came is gone: nothing of it is answered any more. */
  forget(): void {
    this.#unparsed.fill(false);
  }
}
