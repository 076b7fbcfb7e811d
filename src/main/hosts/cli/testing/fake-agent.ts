import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Place } from './headway.ts';

/** One call of the program: when, in milliseconds since 1970, and with which arguments. */
export type FakeCall = { atMs: number; args: string[]; prompt: string; dir: string };

/**
 * A program of this name on the PATH that does what its plan says. `body` is JavaScript that is run for every call with
 * `call` (what it was called with), `index` (how many calls there were before), `say` (prints a line, or an object as one of JSON), `write` (a file of
 * the slot) and `until` (milliseconds since 1970 that the test has set, see `setUntil`).
 */
export class FakeAgent {
  readonly #log: string;
  readonly #until: string;

  constructor(place: Place, name: string, body: string) {
    this.#log = join(place.root, `${name}.calls`);
    this.#until = join(place.root, `${name}.until`);
    this.setUntil(0);
    const program = place.write(
      `bin/${name}`,
      `#!${process.execPath}\n${PROGRAM(this.#log, this.#until, body)}`,
    );
    chmodSync(program, 0o755);
    const bin = join(place.root, 'bin');
    const path = place.env.PATH ?? process.env.PATH ?? '';
    if (!path.split(delimiter).includes(bin)) place.env.PATH = `${bin}${delimiter}${path}`;
  }

  setUntil(atMs: number): void {
    writeFileSync(this.#until, String(atMs));
  }

  get until(): number {
    return Number(readFileSync(this.#until, 'utf8'));
  }

  get calls(): FakeCall[] {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as FakeCall);
  }
}

const PROGRAM = (log: string, until: string, body: string): string => `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const log = ${JSON.stringify(log)};
const atMs = Date.now();
const index = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n').length : 0;
const args = process.argv.slice(2);
// Only what is given on a pipe: a terminal or nothing has no end.
const prompt = args[0] === '-p' ? readFileSync(0, 'utf8') : '';
const call = { atMs, args, prompt, dir: process.cwd() };
appendFileSync(log, JSON.stringify(call) + '\\n');
const until = Number(readFileSync(${JSON.stringify(until)}, 'utf8'));
const say = (line) => console.log(typeof line === 'string' ? line : JSON.stringify(line));
const write = (file, text) => writeFileSync(file, text);
${body}
`;
