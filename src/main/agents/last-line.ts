/** A secret is no longer than half of it. */
const KEPT_BYTES = 8 * 1024;
const SHOWN_CHARACTERS = 300;

/** Remembers the end of a program's output in bounded memory, for one line about why it failed. */
export class LastLine {
  #tail: Buffer = Buffer.alloc(0);
  #cut = false;

  push(bytes: Uint8Array): void {
    const joined =
      bytes.length >= KEPT_BYTES
        ? Buffer.from(bytes.subarray(-KEPT_BYTES))
        : Buffer.concat([this.#tail, bytes]);
    this.#cut ||= joined.length > KEPT_BYTES || bytes.length > KEPT_BYTES;
    this.#tail = joined.length > KEPT_BYTES ? Buffer.from(joined.subarray(-KEPT_BYTES)) : joined;
  }

  /** The last line that says something, without colours and secrets; undefined where there is none. */
  text(redact: (text: string) => string): string | undefined {
    return lastMeaningfulLine(this.tail(redact));
  }

  /** The last lines, without colours and secrets. */
  tail(redact: (text: string) => string): string {
    const text = redact(this.#tail.toString('utf8'));
    // What was cut away in front may have told that a secret follows.
    return withoutCodes(this.#cut ? text.slice(-KEPT_BYTES / 2) : text);
  }
}

const withoutCodes = (text: string): string =>
  text.replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '').replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '');

/** The last line with a letter or digit in it. */
function lastMeaningfulLine(text: string): string | undefined {
  const lines = text.split(/[\r\n]+/);
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = (lines[index] ?? '').replace(/[\u0000-\u001f\u007f]/g, '').trim();
    if (/[\p{L}\p{N}]/u.test(line)) return line.slice(0, SHOWN_CHARACTERS);
  }
  return undefined;
}
