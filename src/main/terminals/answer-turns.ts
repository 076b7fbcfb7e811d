type Turn = { from: number; reader: object | undefined };

/**
 * Who answers what a program asks its terminal (where is the cursor, which colours, what are you): each byte of the output
 * belongs to the turn of one reader, or of nobody. A turn begins where the output ends just then, so that nothing older is
 * answered late, and nothing is answered twice. A question belongs to the turn that its last byte is in.
 */
export class AnswerTurns {
  #turns: Turn[];
  /** The one that a person used last is the last. */
  readonly #readers = new Set<object>();

  /** `opener` has the first turn: who opens a terminal looks at it from its first byte on. */
  constructor(opener?: object) {
    this.#turns = opener === undefined ? [] : [{ from: 0, reader: opener }];
  }

  /** A reader comes, and what follows is its turn. `as`: the opener whose turn it takes over. */
  join(reader: object, end: number, as: object): void {
    for (const turn of this.#turns) if (turn.reader === as) turn.reader = reader;
    this.used(reader, end);
  }

  /** A person types there: what follows is its turn. */
  used(reader: object, end: number): void {
    this.#readers.delete(reader);
    this.#readers.add(reader);
    this.#give(reader, end);
  }

  /** What it has not got yet is answered by nobody; what follows is the turn of the one that was used last. */
  leave(reader: object, end: number): void {
    this.#readers.delete(reader);
    const had = this.#turns.at(-1)?.reader === reader;
    for (const turn of this.#turns) if (turn.reader === reader) turn.reader = undefined;
    if (had) this.#give([...this.#readers].at(-1), end);
  }

  /** Whether output at an offset is this reader's to answer, and up to which offset that holds. */
  at(reader: object, offset: number): { answers: boolean; until: number } {
    const next = this.#turns.findIndex(({ from }) => from > offset);
    const turn = this.#turns.at(next < 0 ? -1 : next - 1);
    const first = next === 0;
    return {
      answers: !first && turn?.reader === reader,
      until: this.#turns[next]?.from ?? Number.POSITIVE_INFINITY,
    };
  }

  /** What ends before an offset will not be asked for. */
  trim(offset: number): void {
    while ((this.#turns[1]?.from ?? Number.POSITIVE_INFINITY) <= offset) this.#turns.shift();
  }

  #give(reader: object | undefined, from: number): void {
    const last = this.#turns.at(-1);
    if (last?.reader === reader) return;
    if (last?.from === from) last.reader = reader;
    else this.#turns.push({ from, reader });
  }
}
