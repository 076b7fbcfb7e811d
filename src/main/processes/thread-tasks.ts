import type { PlainError } from '../../shared/errors.ts';

/** What a task has of its caller. */
export type TaskContext = { signal: AbortSignal; progress(text: string): void };

/** Tasks by name. Input and result are plain data: they are copied between threads. */
// biome-ignore lint/suspicious/noExplicitAny: each task has an input of its own; `ask` types it
export type TaskMap = Record<string, (input: any, context: TaskContext) => Promise<unknown>>;

/** What the asking thread says. */
export type ToThread =
  | { kind: 'ask'; id: number; name: string; input: unknown }
  | { kind: 'abort'; id: number };

/** What the working thread says; `ready` once, before all else. */
export type FromThread =
  | { kind: 'ready' }
  | { kind: 'progress'; id: number; text: string }
  | { kind: 'done'; id: number; result: unknown }
  | { kind: 'failed'; id: number; error: PlainError };
