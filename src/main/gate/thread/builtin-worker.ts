import { fileURLToPath } from 'node:url';
import { isMainThread, workerData } from 'node:worker_threads';
import { serveThread } from '../../processes/serve-thread.ts';

/** Tells a thread of ours from one that somebody else started and that loads this module too. */
const BUILTIN_THREAD = 'headway-builtin';

/** This very module, wherever the build has put it: it is only loaded late, so it is a file of its own, and a thread can begin with it. */
export const entry = { file: fileURLToPath(import.meta.url), workerData: BUILTIN_THREAD };

export const loadTasks = () => import('./builtin-tasks.ts').then(({ builtinTasks }) => builtinTasks);

if (!isMainThread && workerData === BUILTIN_THREAD) serveThread(loadTasks);
