import type { TaskContext } from '../../processes/thread-tasks.ts';
import { runBuiltin } from '../builtin/builtin.ts';

type Input = { step: Parameters<typeof runBuiltin>[0] } & Omit<Parameters<typeof runBuiltin>[1], 'say'>;

/** What a built-in step says is the progress of its task. */
export const builtinTasks = {
  builtin: ({ step, ...options }: Input, { progress }: TaskContext) =>
    runBuiltin(step, { ...options, say: progress }),
};
export type BuiltinTasks = typeof builtinTasks;
