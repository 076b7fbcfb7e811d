import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from './environment.ts';

/*
 * On Linux the kernel copies the page tables of a process that starts another one: 2 ms for a small Node, 11 ms for one of 160 MB, 20 ms for
 * one of 370 MB, and everything else waits meanwhile. A job makes a hundred short calls of git. So a small process starts them for
 * us. It is started itself once some calls were made, and while it is not there the caller starts its program as ever.
 */

export type StartRequest = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  input?: string | Uint8Array;
  onStart(pid: number): void;
};

export type Started = {
  stdout: Buffer;
  stderr: Buffer;
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it did not start, with the system's code. */
  error?: { message: string; code: string };
};

type Pending = { onStart(pid: number): void; resolve(started: Started): void };
type Head = { id: number; pid?: number; out?: number; err?: number } & Pick<
  Started,
  'code' | 'signal' | 'error'
>;

/** Command lines that only look make a few calls: for them a process of its own would be a loss. */
const CALLS_BEFORE = 12;
/** It leaves when its standard input ends, that is with us, once what it started has ended. */
const SCRIPT = `
const { spawn } = require('node:child_process');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
let rest = Buffer.alloc(0), running = 0, isOver = false;
const leave = () => { if (isOver && running === 0) process.exit(0); };
const say = (head, ...bodies) => {
  process.stdout.write(JSON.stringify(head) + '\\n');
  for (const body of bodies) if (body.length > 0) process.stdout.write(body);
};
const start = ({ id, file, args, cwd, env, input }, bytes) => {
  running += 1;
  const out = [], err = [];
  let isTold = false;
  const tell = (end) => {
    if (isTold) return;
    isTold = true;
    running -= 1;
    const [stdout, stderr] = [Buffer.concat(out), Buffer.concat(err)];
    say({ id, code: null, signal: null, ...end, out: stdout.length, err: stderr.length }, stdout, stderr);
    leave();
  };
  const fail = (thrown) => tell({ error: { message: thrown.message, code: String(thrown.code) } });
  let child;
  try {
    child = spawn(file, args, { cwd, env, windowsHide: true, stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  } catch (thrown) {
    fail(thrown);
    return;
  }
  child.on('error', (thrown) => { if (child.pid === undefined) fail(thrown); });
  child.on('spawn', () => say({ id, pid: child.pid }));
  child.stdout.on('data', (chunk) => out.push(chunk));
  child.stderr.on('data', (chunk) => err.push(chunk));
  child.on('close', (code, signal) => tell({ code, signal }));
  if (input !== null) {
    child.stdin.on('error', () => {});
    child.stdin.end(bytes);
  }
};
process.stdin.on('data', (chunk) => {
  rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  for (;;) {
    const end = rest.indexOf(10);
    if (end < 0) return;
    const head = JSON.parse(rest.toString('utf8', 0, end));
    const next = end + 1 + (head.input ?? 0);
    if (rest.length < next) return;
    const bytes = rest.subarray(end + 1, next);
    rest = rest.subarray(next);
    start(head, bytes);
  }
});
process.stdin.on('end', () => { isOver = true; leave(); });
say({ id: 0 });
`;

class Starter {
  readonly #pending = new Map<number, Pending>();
  #calls = 0;
  #lastId = 0;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #isReady = false;
  #rest: Buffer = Buffer.alloc(0);

  /** Undefined: the caller is to start it. A helper that dies takes its programs for killed. */
  start(request: StartRequest): Promise<Started> | undefined {
    this.#calls += 1;
    if (this.#calls <= CALLS_BEFORE) return undefined;
    this.#child ??= this.#launch();
    const child = this.#child;
    if (!this.#isReady) return undefined;
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Started>();
    this.#pending.set(id, { onStart: request.onStart, resolve });
    this.#hold();
    const { file, args, cwd, env } = request;
    const input = request.input === undefined ? undefined : Buffer.from(request.input);
    child.stdin.write(`${JSON.stringify({ id, file, args, cwd, env, input: input?.length ?? null })}\n`);
    if (input && input.length > 0) child.stdin.write(input);
    return promise;
  }

  #launch(): ChildProcessByStdio<Writable, Readable, null> {
    const child = process
      .getBuiltinModule('node:child_process')
      .spawn(process.execPath, ['-e', SCRIPT], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
    const lose = (): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#isReady = false;
      this.#rest = Buffer.alloc(0);
      for (const { resolve } of this.#pending.values()) {
        resolve({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), code: null, signal: 'SIGKILL' });
      }
      this.#pending.clear();
    };
    child.on('error', lose);
    child.on('close', lose);
    child.stdin.on('error', () => undefined); // it is gone: `close` says so
    child.stdout.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#child = child;
    this.#hold();
    return child;
  }

  /** Only a program that is waited for keeps this process alive. */
  #hold(): void {
    const child = this.#child;
    if (!child) return;
    const streams = [child.stdin, child.stdout] as unknown as { ref?(): void; unref?(): void }[];
    for (const one of [child, ...streams]) {
      if (this.#pending.size > 0) one.ref?.();
      else one.unref?.();
    }
  }

  #read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end < 0) return;
      const head = JSON.parse(this.#rest.toString('utf8', 0, end)) as Head;
      const { out = 0, err = 0 } = head;
      const from = end + 1;
      if (this.#rest.length < from + out + err) return;
      const stdout = Buffer.from(this.#rest.subarray(from, from + out));
      const stderr = Buffer.from(this.#rest.subarray(from + out, from + out + err));
      this.#rest = this.#rest.subarray(from + out + err);
      this.#take(head, stdout, stderr);
    }
  }

  #take(head: Head, stdout: Buffer, stderr: Buffer): void {
    if (head.id === 0) this.#isReady = true;
    const pending = this.#pending.get(head.id);
    if (!pending) return;
    if (head.pid !== undefined) {
      pending.onStart(head.pid);
      return;
    }
    this.#pending.delete(head.id);
    const { code, signal, error } = head;
    pending.resolve({ stdout, stderr, code, signal, ...(error ? { error } : {}) });
    this.#hold();
  }
}

const starter =
  process.platform === 'linux' && process.versions.electron === undefined ? new Starter() : undefined;

/** Has a small process start the program; undefined where there is none (yet), or where starting costs little. */
export const startElsewhere = (request: StartRequest): Promise<Started> | undefined =>
  starter?.start(request);
