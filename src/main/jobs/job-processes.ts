import { killTree } from '../processes/kill-tree.ts';
import { processesWithVariable } from '../processes/process-table.ts';

/** Names the job in every process of an attempt, so that what a lost runner left behind can be found and ended. */
export const JOB_VARIABLE = 'HEADWAY_JOB';

/** Ends what attempts of a job left running, also outside their groups. */
export async function endProcessesOf(jobId: string): Promise<void> {
  for (const pid of await processesWithVariable(JOB_VARIABLE, jobId)) await killTree({ pid });
}
