import type { AttemptRecord } from '../attempt-record.ts';
import { held } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import type { Prepared } from './prepare.ts';

/**
 * Where the policy asks for it, no agent starts on a base whose own gate is red: its work could not become green. Work that
 * is there already goes on, and so does a job that a person released.
 */
export async function baseStage(
  record: AttemptRecord,
  { repository, baseCommit, policy }: Prepared,
  signal: AbortSignal,
  ports: JobPorts,
): Promise<void> {
  const { job } = record;
  if (!policy.baseMustBeGreen || policy.gate.length === 0 || job.work || job.approved) return;
  const verdict = await ports.baseVerdicts.of({
    repository,
    base: job.base,
    commit: baseCommit,
    policyHash: policy.hash,
    override: job.gate,
    signal,
    onWait: () => record.says({ code: 'base-check', base: job.base }),
  });
  await record.waits(undefined);
  if (verdict.green) return;
  const { step, why } = verdict;
  throw held({ code: 'base-red', base: job.base, commit: baseCommit, step, why });
}
