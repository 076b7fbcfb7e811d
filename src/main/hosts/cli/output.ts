import { toPlainError } from '../../../shared/errors.ts';
import { secretsOf } from '../../redaction/known-secrets.ts';
import { createTextRedactor } from '../../redaction/redaction.ts';
import { EXIT } from './exit-codes.ts';

/** Nothing that is printed shows a key of Headway's own environment, or what looks like one. */
const redact = createTextRedactor(secretsOf(process.env));

/** One way out for words and one for data: `--json` prints one JSON value a line on standard output and nothing else. */
export type Output = {
  json: boolean;
  /** For a person; silent with --json. */
  say(text: string): void;
  /** For a program; silent without --json. */
  data(value: unknown): void;
};

export function createOutput(json: boolean): Output {
  return {
    json,
    say(text) {
      if (!json) process.stdout.write(`${redact.text(text)}\n`);
    },
    data(value) {
      if (json) process.stdout.write(`${JSON.stringify(redact.value(value))}\n`);
    },
  };
}

/** What goes wrong meanwhile, on standard error or wherever it is sent; the same again is not said again. */
export function problemLines(): { say(text: string): void; through(note?: (text: string) => void): void } {
  let last = '';
  let send: ((text: string) => void) | undefined;
  return {
    say(text) {
      if (text === last) return;
      last = text;
      const line = `headway: ${text}`;
      if (send) send(line);
      else process.stderr.write(`${line}\n`);
    },
    through(note) {
      send = note;
    },
  };
}

/** Prints an error and returns the exit code that goes with it. */
export function reportError(thrown: unknown, output: Output): number {
  const error = redact.value(toPlainError(thrown));
  if (output.json) output.data({ type: 'error', ...error });
  else process.stderr.write(`headway: ${error.message}\n`);
  if (error.code === 'cancelled') return EXIT.interrupted;
  return ['bad-input', 'not-found', 'not-a-repository', 'conflict', 'unavailable', 'busy'].includes(
    error.code,
  )
    ? EXIT.usage
    : EXIT.notDone;
}

/** Columns padded to their widest cell; the last one is left as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
