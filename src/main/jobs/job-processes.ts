import type { Environment } from '../processes/environment.ts';
import { killTree } from '../processes/kill-tree.ts';
import { processesWithVariable, processesWithVariables } from '../processes/process-table.ts';

/** Names the job in every process of an attempt, so that what a lost runner left behind can be found and ended. */
const JOB_VARIABLE = 'HEADWAY_JOB';
/** Names the runner in all that it starts for a job: another one may have taken the job over, and its processes are not for us. */
const RUNNER_VARIABLE = 'HEADWAY_RUNNER';

export const marksOf = (runnerId: string, jobId: string): Environment => ({
  [RUNNER_VARIABLE]: runnerId,
  [JOB_VARIABLE]: jobId,
});

/** Ends what attempts of a job under this runner left running, also outside their groups. */
export async function endProcessesOf(jobId: string, runnerId: string): Promise<void> {
  await endAll(await processesWithVariables(marksOf(runnerId, jobId)));
}

/** Ends what a runner that is gone left running. */
export async function endProcessesOfRunner(runnerId: string): Promise<void> {
  await endAll(await processesWithVariable(RUNNER_VARIABLE, runnerId));
}

async function endAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await killTree({ pid });
}
