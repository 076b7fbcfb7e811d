import { createThread } from '../../processes/thread.ts';
import type { GateTasks } from './gate-tasks.ts';

const worker = () => import('./gate-worker.ts');

/** Audits and proofs, beside the thread that everybody else waits for. One for the process: what it has loaded is large. */
export const gateThread = createThread<GateTasks>({
  entry: async () => (await worker()).entry,
  load: async () => (await worker()).loadTasks(),
});
