import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { IPty } from '@lydell/node-pty';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { Environment } from '../processes/environment.ts';
import { killTree, TREE_VARIABLE } from '../processes/kill-tree.ts';
import { liveTree } from '../processes/live-trees.ts';
import { ExitMark } from './exit-mark.ts';

export type PtyOptions = {
  command: { file: string; args: readonly string[] };
  cwd: string;
  env: Environment;
  cols: number;
  rows: number;
  onData(bytes: Uint8Array): void;
};

export type PtyExit = { exit: number; signal?: string };

export interface Pty {
  pid: number;
  /** Settles after the last byte was given to `onData`. */
  exited: Promise<PtyExit>;
  write(bytes: Uint8Array): void;
  /** Ignored after the exit and for sizes that are none. */
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  /** Ends the program and all that it started; returns the processes that could not be ended. */
  kill(): Promise<number[]>;
}

const MAX_CELLS = 10_000;

/**
 * Linux throws away what a terminal still holds when its session leader exits, and node-pty calls a killed program's exit 0.
 * So a small shell leads the session: it runs the program, says in the output itself how the program ended (by then all
 * before it was read), and waits, stopped, until it is ended. Ctrl-C is for the program, not for it.
 */
const LEADER = [
  'mark=$1; shift; trap : INT QUIT',
  '"$@"',
  'code=$?; printf "\\033]7340;%s;%d\\007" "$mark" "$code"',
  'while :; do kill -STOP $$; done',
].join('\n');

/** Starts a program in a terminal of its own. Throws `unavailable` where there can be none. */
export async function startPty(options: PtyOptions): Promise<Pty> {
  const mark = randomBytes(12).toString('hex');
  const tag = randomUUID();
  const windows = process.platform === 'win32';
  const { file, args } = options.command;
  const terminal = await spawn(
    windows ? file : '/bin/sh',
    windows ? [...args] : ['-c', LEADER, 'sh', mark, file, ...args],
    options,
    tag,
  );
  const live = liveTree(terminal.pid);
  const { promise: exited, resolve } = Promise.withResolvers<PtyExit>();
  const reader = new ExitMark(mark);
  let over = false;
  let killing: Promise<number[]> | undefined;

  const finish = (exit: PtyExit): void => {
    if (over) return;
    over = true;
    resolve(exit);
  };
  const kill = (): Promise<number[]> => {
    // A paused terminal would never come to its end.
    terminal.resume();
    killing ??= killTree({ pid: terminal.pid, tag });
    return killing;
  };
  // Without an encoding node-pty gives buffers, whatever its types say.
  terminal.onData((data) => {
    if (over) return;
    const { bytes, code } = windows
      ? { bytes: data as unknown as Buffer }
      : reader.push(data as unknown as Buffer);
    if (bytes.length > 0) options.onData(bytes);
    if (code === undefined) return;
    finish(fromShellCode(code));
    // Neither the leader nor what the program left behind outlives it.
    void kill();
  });
  terminal.onExit(({ exitCode, signal }) => {
    live[Symbol.dispose]();
    const rest = reader.end();
    if (!over && rest.length > 0) options.onData(rest);
    finish(signal ? fromShellCode(128 + signal) : { exit: exitCode });
  });

  return {
    pid: terminal.pid,
    exited,
    write(bytes) {
      // Its types name text alone; what it has is a socket, which takes bytes as they are.
      if (!over) terminal.write(Buffer.from(bytes) as unknown as string);
    },
    resize(cols, rows) {
      if (over || !isSize(cols) || !isSize(rows)) return;
      try {
        terminal.resize(cols, rows);
      } catch {
        // The program ended in this very moment, before we were told: there is nothing left to resize.
      }
    },
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    kill,
  };
}

async function spawn(file: string, args: string[], options: PtyOptions, tag: string): Promise<IPty> {
  try {
    // Loaded late: a native module that most commands never need.
    const pty = await import('@lydell/node-pty');
    return pty.spawn(file, args, {
      name: 'xterm-256color',
      cols: isSize(options.cols) ? options.cols : 80,
      rows: isSize(options.rows) ? options.rows : 24,
      cwd: options.cwd,
      env: { ...options.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', [TREE_VARIABLE]: tag },
      encoding: null,
    });
  } catch (thrown) {
    throw new HeadwayError('unavailable', `no terminal could be opened: ${toError(thrown).message}`, {
      cause: thrown,
    });
  }
}

const isSize = (value: number): boolean => Number.isInteger(value) && value > 0 && value <= MAX_CELLS;

function fromShellCode(code: number): PtyExit {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return signal ? { exit: code, signal } : { exit: code };
}
