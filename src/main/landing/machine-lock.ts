import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import { type Holder, holderWords, listenerAt } from '../processes/lock-holder.ts';

const nameOf = (key: string): string =>
  `headway-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;

/**
 * A lock between processes that the system itself releases when its holder dies, however it dies: a listening socket.
 * On Linux (abstract) and Windows (pipe) nothing is left on disk either.
 */
function addressOf(key: string): string {
  const name = nameOf(key);
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Who waits is connected; closing the connection wakes them. */
type Held = { server: Server; waiting: Set<Socket> };

function listen(address: string): Promise<Held | undefined> {
  return new Promise((resolve, reject) => {
    const waiting = new Set<Socket>();
    const server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => undefined); // who waits may die too
      socket.on('close', () => waiting.delete(socket));
      socket.resume();
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else
        reject(
          new HeadwayError('internal', `the merge lock can't be taken: ${error.message}`, { cause: error }),
        );
    });
    server.listen(address, () => resolve({ server, waiting }));
  });
}

function release({ server, waiting }: Held): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of waiting) socket.destroy();
  });
}

type Gone = 'held' | 'stale' | 'timed-out';

/** Settles when the holder is gone: `held` after waiting for it, `stale` where nobody listens. */
function holderGone(address: string, waitMs: number, signal: AbortSignal | undefined): Promise<Gone> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    let connected = false;
    const timer = setTimeout(() => {
      resolve('timed-out');
      socket.destroy();
    }, waitMs);
    const leave = (): void => {
      reject(signal?.reason);
      socket.destroy();
    };
    signal?.addEventListener('abort', leave, { once: true });
    socket.once('connect', () => {
      connected = true;
    });
    socket.resume();
    socket.on('error', () => undefined); // told by close
    socket.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve(connected ? 'held' : 'stale');
    });
  });
}

export type LockWait = {
  /** Who waits may leave. */
  signal?: AbortSignal | undefined;
  /** Another process holds the lock: which one, where the system shows it. */
  onWait?: ((holder: Holder | undefined) => void) | undefined;
};

/**
 * Runs `task` while no other process on this machine runs one under the same key. Error `busy` where the holder does
 * not end within `waitMs`.
 */
export async function withMachineLock<T>(
  key: string,
  waitMs: number,
  task: () => Promise<T>,
  { signal, onWait }: LockWait = {},
): Promise<T> {
  signal?.throwIfAborted();
  const address = addressOf(key);
  const untilAt = performance.now() + waitMs;
  let held = await listen(address);
  while (!held) {
    const left = untilAt - performance.now();
    const holder = listenerAt(nameOf(key));
    onWait?.(holder);
    const gone = left > 0 ? await holderGone(address, left, signal) : 'timed-out';
    if (gone === 'timed-out') {
      const who = holder ? holderWords(holder) : 'another process on this machine';
      throw new HeadwayError('busy', `${who} is merging (${key}) and does not end`, {
        data: { retryAfterMs: 1000 },
      });
    }
    // A socket file outlives a killed process where sockets are files.
    if (gone === 'stale' && process.platform !== 'linux' && process.platform !== 'win32')
      await rm(address, { force: true });
    held = await listen(address);
  }
  try {
    return await task();
  } finally {
    await release(held);
  }
}
