import { createThread } from '../../processes/thread.ts';
import type { BuiltinTasks } from './builtin-tasks.ts';

const worker = () => import('./builtin-worker.ts');

/**
 * Built-in steps and lockfiles, beside the thread that everybody else waits for: whole repositories are read here, and what is read may be
 * hostile.
 */
export const builtinThread = createThread<BuiltinTasks>({
  entry: async () => (await worker()).entry,
  load: async () => (await worker()).loadTasks(),
});
