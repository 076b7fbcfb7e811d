import { Worker } from 'node:worker_threads';
import { fromPlainError, HeadwayError } from '../../shared/errors.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { FromThread, TaskContext, TaskMap, ToThread } from './thread-tasks.ts';

/** What was loaded for one task is of use to the next; after this it only takes memory. */
const IDLE_MS = MINUTE_MS;

type Input<Task> = Task extends (input: infer Given, context: TaskContext) => Promise<unknown>
  ? Given
  : never;
type Output<Task> = Task extends (...args: never[]) => Promise<infer Result> ? Result : never;

/** A thread that does work which would keep this one from everything else. It is started when it is needed. */
export interface Thread<Tasks extends TaskMap> {
  /**
   * Rejects with what the task threw, code and data kept; `cancelled` where the signal had aborted before; `internal` where the
   * thread itself ended. An abort is told to the task, which ends as it does anywhere else.
   */
  ask<Name extends keyof Tasks & string>(
    name: Name,
    input: Input<Tasks[Name]>,
    caller?: { signal?: AbortSignal | undefined; onProgress?: ((text: string) => void) | undefined },
  ): Promise<Output<Tasks[Name]>>;
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void; progress(text: string): void };

/** Where no thread can be started at all. */
class NoThread extends Error {}

class Connection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #gone: () => void;
  #ready = false;
  #nextId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** `gone` is called once, when it can't be asked any more. */
  constructor(file: string, workerData: unknown, gone: () => void) {
    this.#gone = gone;
    this.#worker = new Worker(file, { workerData });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#end(error.message));
    this.#worker.on('exit', (code) => this.#end(`exit code ${code}`));
  }

  get ready(): boolean {
    return this.#ready;
  }

  ask(
    name: string,
    input: unknown,
    caller: { signal?: AbortSignal | undefined; progress(text: string): void },
  ) {
    const id = ++this.#nextId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const abort = (): void => this.#say({ kind: 'abort', id });
    this.#waiting.set(id, { resolve, reject, progress: caller.progress });
    clearTimeout(this.#idle);
    this.#worker.ref();
    this.#say({ kind: 'ask', id, name, input });
    caller.signal?.addEventListener('abort', abort, { once: true });
    return promise.finally(() => caller.signal?.removeEventListener('abort', abort));
  }

  #say(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (message.kind === 'ready') {
      this.#ready = true;
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'progress') {
      waiting?.progress(message.text);
      return;
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#rest();
    if (message.kind === 'done') waiting?.resolve(message.result);
    else waiting?.reject(fromPlainError(message.error));
  }

  /** Keeps no process alive, and is ended after a while. */
  #rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => {
      this.#gone();
      void this.#worker.terminate();
    }, IDLE_MS).unref();
  }

  #end(why: string): void {
    clearTimeout(this.#idle);
    this.#gone();
    const error = this.#ready
      ? new HeadwayError('internal', `the thread that did this ended: ${why}`)
      : new NoThread(why);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/**
 * `entry` names the module that calls `serveThread` where its `workerData` is this one. Where no thread can be started (a package
 * that does not hold the file) the tasks are done here, from `load`.
 */
export function createThread<Tasks extends TaskMap>(options: {
  entry(): Promise<{ file: string; workerData: unknown }>;
  load(): Promise<Tasks>;
}): Thread<Tasks> {
  let opening: Promise<Connection> | undefined;
  let impossible = false;

  const open = (): Promise<Connection> => {
    opening ??= options.entry().then(({ file, workerData }) => {
      const mine: Promise<Connection> | undefined = opening;
      return new Connection(file, workerData, () => {
        if (opening === mine) opening = undefined;
      });
    });
    return opening;
  };

  return {
    async ask(name, input, caller = {}) {
      const { signal, onProgress = () => undefined } = caller;
      const checkSignal = (): void => {
        if (signal?.aborted) throw new HeadwayError('cancelled', `${name} was cancelled`);
      };
      checkSignal();
      type Result = Output<Tasks[typeof name]>;
      if (!impossible) {
        const connection = await open();
        checkSignal();
        try {
          return (await connection.ask(name, input, { signal, progress: onProgress })) as Result;
        } catch (thrown) {
          if (!(thrown instanceof NoThread)) throw thrown;
          impossible = true;
        }
      }
      const task = (await options.load())[name];
      if (!task) throw new Error(`there is no task ${name}`);
      const context = { signal: signal ?? new AbortController().signal, progress: onProgress };
      return (await task(input, context)) as Result;
    },
  };
}
