import { createThread } from '../../processes/thread.ts';
import type { BuiltinTasks } from './builtin-tasks.ts';

const worker = () => import('./builtin-worker.ts');

/** Built-in steps, beside the thread that everybody else waits for: they read whole repositories, and what they read may be hostile. */
export const builtinThread = createThread<BuiltinTasks>({
  entry: async () => (await worker()).entry,
  load: async () => (await worker()).loadTasks(),
});
