import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { toError } from '../../shared/errors.ts';
import type { Environment } from './environment.ts';
import { killTree, TREE_VARIABLE } from './kill-tree.ts';
import { liveTree } from './live-trees.ts';
import { canStart, type Program, pidNamespace, signalOf } from './pid-namespace.ts';
import { startElsewhere } from './starter.ts';

export type RunOptions = {
  /** Program and arguments, or one command line for the platform's shell. */
  command: { file: string; args: readonly string[] } | { shell: string };
  cwd: string;
  /** The whole environment of the child; see `childEnvironment`. */
  env: Environment;
  input?: string | Uint8Array;
  /** Hard limit; on it the whole process tree ends. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Every chunk as it comes, both streams in order of arrival. */
  onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => void;
  onStart?: (pid: number, tag: string) => void;
  /** How much of each stream is kept in the result (the last bytes); default 1 MB. */
  captureBytes?: number;
  /** The child leads a group of its own and nothing it started survives it. Off for trusted short helpers such as git. */
  ownTree?: boolean;
  /**
   * Where the system has process namespaces, the tree gets one, which no daemon leaves; see `pidNamespace`. Default: as `ownTree`. Off for
   * what a person starts through us.
   */
  confined?: boolean;
};

export type RunResult = {
  status: 'exited' | 'timed-out' | 'cancelled' | 'not-started';
  /** Exit code as a shell would give it: 128 + n for a signal, 127 where the program was not found. */
  exit: number;
  signal?: NodeJS.Signals;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** Processes that could not be ended. */
  leftovers: number[];
  /** Why it did not start. */
  error?: string;
};

const DEFAULT_CAPTURE_BYTES = 1024 * 1024;
/** A grandchild may hold the pipe open: after the program's own exit we wait this long for its last bytes. */
const DRAIN_MS = 500;

/** Keeps the last `limit` bytes of a stream. */
class Tail {
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    while (this.#chunks.length > 1 && this.#size - (this.#chunks[0]?.length ?? 0) >= this.#limit) {
      this.#size -= this.#chunks.shift()?.length ?? 0;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.#limit)).toString('utf8');
  }
}

/** The exit code that a shell would report. */
function shellExit(code: number | null, signal: NodeJS.Signals | null): number {
  if (signal) return 128 + (constants.signals[signal] ?? 0);
  return code ?? 1;
}

const programOf = (command: RunOptions['command']): Program =>
  'shell' in command ? { file: command.shell, args: [] } : command;

/** Undefined: there is no process namespace to be had, or the program would not start, which it says best itself. */
async function confinedProgram({ command, cwd, env }: RunOptions): Promise<Program | undefined> {
  const confine = await pidNamespace();
  const program = 'shell' in command ? { file: '/bin/sh', args: ['-c', command.shell] } : command;
  return confine && canStart(program.file, cwd, env) ? confine(program) : undefined;
}

/**
 * Runs a program on pipes until it and what it started have ended. Never rejects for what the program does: the
 * result tells. The promise settles only after the last output was delivered.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const startedAt = performance.now();
  const tag = randomUUID();
  const ownTree = options.ownTree ?? true;
  const stdout = new Tail(options.captureBytes ?? DEFAULT_CAPTURE_BYTES);
  const stderr = new Tail(options.captureBytes ?? DEFAULT_CAPTURE_BYTES);
  const notRun = (status: 'cancelled' | 'not-started', exit: number, error?: string): RunResult => ({
    status,
    exit,
    stdout: '',
    stderr: '',
    durationMs: performance.now() - startedAt,
    leftovers: [],
    ...(error === undefined ? {} : { error }),
  });
  const confined = ownTree && (options.confined ?? true) ? await confinedProgram(options) : undefined;
  if (options.signal?.aborted) return notRun('cancelled', 130);

  return new Promise((resolve) => {
    const shell = !confined && 'shell' in options.command;
    const { file, args } = confined ?? programOf(options.command);
    let child: ChildProcess;
    try {
      // Loaded with its first use: a start that runs nothing does not wait for it.
      child = process.getBuiltinModule('node:child_process').spawn(file, [...args], {
        cwd: options.cwd,
        env: ownTree ? { ...options.env, [TREE_VARIABLE]: tag } : options.env,
        shell,
        detached: ownTree && process.platform !== 'win32',
        windowsHide: true,
        stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
    } catch (thrown) {
      resolve(notRun('not-started', 126, toError(thrown).message));
      return;
    }
    let status: RunResult['status'] = 'exited';
    let killing: Promise<number[]> | undefined;
    let drainTimer: NodeJS.Timeout | undefined;
    let settled = false;
    const live = child.pid === undefined || !ownTree ? undefined : liveTree(child.pid);

    const end = (why: 'timed-out' | 'cancelled'): void => {
      if (killing || child.pid === undefined) return;
      status = why;
      killing = killTree({ pid: child.pid, ...(ownTree ? { tag } : {}) });
    };
    const onAbort = (): void => end('cancelled');
    const timer =
      options.timeoutMs === undefined ? undefined : setTimeout(() => end('timed-out'), options.timeoutMs);
    options.signal?.addEventListener('abort', onAbort, { once: true });

    const settle = async (code: number | null, sent: NodeJS.Signals | null): Promise<void> => {
      if (settled) return;
      const signal = sent ?? (confined ? signalOf(code) : null);
      settled = true;
      clearTimeout(timer);
      clearTimeout(drainTimer);
      options.signal?.removeEventListener('abort', onAbort);
      let leftovers = killing ? await killing : [];
      if (!killing && ownTree && child.pid !== undefined) leftovers = await killTree({ pid: child.pid, tag });
      live?.[Symbol.dispose]();
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({
        status,
        exit: shellExit(code, signal),
        ...(signal ? { signal } : {}),
        stdout: stdout.text(),
        stderr: stderr.text(),
        durationMs: performance.now() - startedAt,
        leftovers,
      });
    };

    child.once('error', (error) => {
      if (child.pid !== undefined || settled) return; // a failed kill is told by leftovers
      settled = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      resolve(notRun('not-started', missing ? 127 : 126, error.message));
    });
    child.stdout?.on('data', (bytes: Buffer) => {
      stdout.push(bytes);
      options.onOutput?.(bytes, 'stdout');
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      stderr.push(bytes);
      options.onOutput?.(bytes, 'stderr');
    });
    child.once('exit', (code, signal) => {
      drainTimer = setTimeout(() => void settle(code, signal), DRAIN_MS);
    });
    child.once('close', (code, signal) => void settle(code, signal));
    child.once('spawn', () => {
      if (child.pid !== undefined) options.onStart?.(child.pid, tag);
    });
    if (options.input !== undefined && child.stdin) {
      child.stdin.on('error', () => undefined); // the program closed its input early; its exit code tells
      child.stdin.end(options.input);
    }
  });
}

/**
 * As `run`, for short programs of our own whose whole output is wanted when they have ended: another process starts them, where that
 * is quicker.
 */
export async function runShort(
  options: Pick<RunOptions, 'cwd' | 'env' | 'input' | 'timeoutMs' | 'signal' | 'captureBytes'> & {
    command: Program;
  },
): Promise<RunResult> {
  const { command, cwd, env, input, timeoutMs, signal } = options;
  const startedAt = performance.now();
  let status: RunResult['status'] = 'exited';
  let pid: number | undefined;
  let killing: Promise<number[]> | undefined;
  const kill = (): void => {
    if (status !== 'exited' && pid !== undefined) killing ??= killTree({ pid });
  };
  const end = (why: 'timed-out' | 'cancelled'): void => {
    if (status === 'exited') status = why;
    kill();
  };
  const started = signal?.aborted
    ? undefined
    : startElsewhere({
        ...{ ...command, cwd, env },
        ...(input === undefined ? {} : { input }),
        onStart(started) {
          pid = started;
          kill();
        },
      });
  if (!started) return run({ ...options, ownTree: false });
  const onAbort = (): void => end('cancelled');
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('timed-out'), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  const { stdout, stderr, code, signal: sent, error } = await started;
  clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  const leftovers = (await killing) ?? [];
  const most = options.captureBytes ?? DEFAULT_CAPTURE_BYTES;
  const ended = {
    stdout: stdout.subarray(Math.max(0, stdout.length - most)).toString('utf8'),
    stderr: stderr.subarray(Math.max(0, stderr.length - most)).toString('utf8'),
    durationMs: performance.now() - startedAt,
    leftovers,
  };
  if (error) {
    const exit = error.code === 'ENOENT' ? 127 : 126;
    return { ...ended, status: 'not-started', exit, error: error.message };
  }
  return { ...ended, status, exit: shellExit(code, sent), ...(sent ? { signal: sent } : {}) };
}
