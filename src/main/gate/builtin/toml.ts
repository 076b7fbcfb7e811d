type Found = { line: number; message: string } | undefined;

const KEY = /(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')/y;
const SCALAR =
  /(?:"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|true\b|false\b|[+-]?(?:inf|nan)\b|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)/y;

class TomlError extends Error {}

/** Pure: the first place where a text is no TOML, or names a table or key twice. */
export function tomlProblem(text: string): Found {
  const reader = new Reader(text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n'));
  try {
    reader.document();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return { line: reader.line(), message: `is not TOML: ${thrown.message}` };
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  #table = '';
  readonly #seen = new Set<string>();
  #arrays = 0;

  constructor(text: string) {
    this.#text = text;
  }

  line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  document(): void {
    for (this.#blank(true); this.#at < this.#text.length; this.#blank(true)) {
      if (this.#text[this.#at] === '[') this.#header();
      else this.#pair(this.#table);
      this.#blank(false);
      if (this.#at < this.#text.length && this.#text[this.#at] !== '\n')
        throw new TomlError('something follows the value on its line');
    }
  }

  #blank(lines: boolean): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === ' ' || char === '\t' || (lines && char === '\n')) this.#at += 1;
      else if (char === '#') {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else return;
    }
  }

  #header(): void {
    const list = this.#text.startsWith('[[', this.#at);
    this.#at += list ? 2 : 1;
    const key = this.#key();
    if (!this.#text.startsWith(list ? ']]' : ']', this.#at))
      throw new TomlError('a table header is not closed');
    if (list) this.#arrays += 1;
    // Each element of an array of tables is a table of its own.
    const name = list ? `${key}#${this.#arrays}` : `${key}${this.#arrays > 0 ? `#${this.#arrays}` : ''}`;
    if (!list) this.#once(`[${name}]`, `table ${key} is there twice`);
    this.#at += list ? 2 : 1;
    this.#table = name;
  }

  #once(name: string, message: string): void {
    if (this.#seen.has(name)) throw new TomlError(message);
    this.#seen.add(name);
  }

  #key(): string {
    const parts: string[] = [];
    for (;;) {
      this.#blank(false);
      const part = this.#match(KEY);
      if (part === undefined) throw new TomlError('a key is missing');
      parts.push(part.replace(/^(["'])(.*)\1$/, '$2'));
      this.#blank(false);
      if (this.#text[this.#at] !== '.') return parts.join('.');
      this.#at += 1;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #pair(table: string): void {
    const key = this.#key();
    if (this.#text[this.#at] !== '=') throw new TomlError(`no = behind the key ${key}`);
    this.#once(`${table}\0${key}`, `key ${key} is there twice`);
    this.#at += 1;
    this.#value(`${table}\0${key}`);
  }

  #value(name: string): void {
    this.#blank(false);
    const char = this.#text[this.#at];
    if (char === '[') this.#list(name);
    else if (char === '{') this.#inline(name);
    else if (this.#match(SCALAR) === undefined)
      throw new TomlError('a value is missing or has no valid form');
  }

  #list(name: string): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#blank(true);
      if (this.#text[this.#at] === ']') break;
      this.#value(`${name}\0${index}`);
      this.#blank(true);
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== ']') throw new TomlError('a list is not closed');
    }
    this.#at += 1;
  }

  #inline(name: string): void {
    this.#at += 1;
    for (;;) {
      this.#blank(true);
      if (this.#text[this.#at] === '}') break;
      this.#pair(name);
      this.#blank(true);
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== '}') throw new TomlError('an inline table is not closed');
    }
    this.#at += 1;
  }
}
