import type { TaskContext } from '../../processes/thread-tasks.ts';
import { runBuiltin } from '../builtin/builtin.ts';
import { type ChangedLockfile, tamperedLockfiles } from '../lockfile/lockfile-tampering.ts';

type Step = { step: Parameters<typeof runBuiltin>[0] } & Omit<Parameters<typeof runBuiltin>[1], 'say'>;

export const builtinTasks = {
  /** What a built-in step says is the progress of its task. */
  builtin: ({ step, ...options }: Step, { progress }: TaskContext) =>
    runBuiltin(step, { ...options, say: progress }),
  lockfiles: async (changed: readonly ChangedLockfile[]) => tamperedLockfiles(changed),
};
export type BuiltinTasks = typeof builtinTasks;
