import type { Environment } from '../processes/environment.ts';
import { killTree } from '../processes/kill-tree.ts';
import { processesWithVariable } from '../processes/process-table.ts';

/** Names the job in every process of an attempt, so that what a lost runner left behind can be found and ended. */
export const JOB_VARIABLE = 'HEADWAY_JOB';
/** Names the runner in what it started outside of an attempt, too. */
const RUNNER_VARIABLE = 'HEADWAY_RUNNER';

export const marksOf = (runnerId: string, jobId: string): Environment => ({
  [RUNNER_VARIABLE]: runnerId,
  [JOB_VARIABLE]: jobId,
});

/** Ends what attempts of a job left running, also outside their groups. */
export const endProcessesOf = (jobId: string): Promise<void> => endMarked(JOB_VARIABLE, jobId);

/** Ends what a runner that is gone left running. */
export const endProcessesOfRunner = (runnerId: string): Promise<void> => endMarked(RUNNER_VARIABLE, runnerId);

async function endMarked(variable: string, value: string): Promise<void> {
  for (const pid of await processesWithVariable(variable, value)) await killTree({ pid });
}
