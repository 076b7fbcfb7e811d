import { fileURLToPath } from 'node:url';
import { isMainThread, threadId, workerData } from 'node:worker_threads';
import { HeadwayError } from '../../../shared/errors.ts';
import { serveThread } from '../serve-thread.ts';
import type { TaskContext } from '../thread-tasks.ts';

export const entry = { file: fileURLToPath(import.meta.url), workerData: 'some-thread' };

/** Things that a thread may do to whoever waits for it. */
export const someTasks = {
  /** Does nothing else until the number is not 0 any more, and says when it begins. */
  async block({ memory }: { memory: SharedArrayBuffer }, { progress }: TaskContext) {
    progress('blocked');
    const cell = new Int32Array(memory);
    Atomics.wait(cell, 0, 0);
    return Atomics.load(cell, 0);
  },
  async refuse({ file }: { file: string }): Promise<never> {
    throw new HeadwayError('bad-input', `${file} is wrong`, { data: { file } });
  },
  async crash(): Promise<never> {
    process.exit(3);
  },
  /** Ends when it is told to. */
  wait(_nothing: Record<string, never>, { signal, progress }: TaskContext): Promise<never> {
    progress('waits');
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new HeadwayError('cancelled', 'told to end')));
    });
  },
  async where() {
    return { thread: threadId };
  },
};

if (!isMainThread && workerData === entry.workerData) serveThread(async () => someTasks);
