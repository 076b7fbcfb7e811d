import { type MessagePort, parentPort } from 'node:worker_threads';
import { toPlainError } from '../../shared/errors.ts';
import type { FromThread, TaskMap, ToThread } from './thread-tasks.ts';

/** The working side of a thread: does what it is asked for, several things at once, until it is ended. */
export function serveThread(load: () => Promise<TaskMap>): void {
  const port: MessagePort | null = parentPort;
  if (!port) throw new Error('this is no thread that somebody started');
  const say = (message: FromThread): void => port.postMessage(message);
  const running = new Map<number, AbortController>();

  const work = async (id: number, name: string, input: unknown): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const task = (await load())[name];
      if (!task) throw new Error(`there is no task ${name}`);
      const progress = (text: string): void => say({ kind: 'progress', id, text });
      say({ kind: 'done', id, result: await task(input, { signal: controller.signal, progress }) });
    } catch (thrown) {
      say({ kind: 'failed', id, error: toPlainError(thrown) });
    } finally {
      running.delete(id);
    }
  };

  port.on('message', (message: ToThread) => {
    if (message.kind === 'abort') running.get(message.id)?.abort();
    else void work(message.id, message.name, message.input);
  });
  say({ kind: 'ready' });
}
