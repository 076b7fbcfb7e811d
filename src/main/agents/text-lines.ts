/** Shows text that comes in pieces line by line, so that lines of a model and of a command never mix. */
export class TextLines {
  readonly #show: (line: string) => void;
  #rest = '';

  constructor(show: (line: string) => void) {
    this.#show = show;
  }

  push(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#show(line);
  }

  end(): void {
    if (this.#rest.trim() !== '') this.#show(this.#rest);
    this.#rest = '';
  }
}
