import type { AttemptRecord } from '../attempt-record.ts';
import { held } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import type { Verified } from './gate-stage.ts';
import type { Prepared } from './prepare.ts';
import { lackOfProof } from './proof-demand.ts';

/**
 * What the policy of `policyCommit` wants beside a green gate before it merges by itself: a person's yes, a proof of the gate. Ends
 * the attempt as held where it is not there; the verified work is kept.
 */
export async function mayMerge(
  record: AttemptRecord,
  { repository, policy }: Prepared,
  policyCommit: string,
  verified: Verified,
  ports: JobPorts,
): Promise<void> {
  if (record.job.approved) return;
  if (!policy.merge.auto) throw held({ code: 'needs-approval' }, verified);
  const lack = await lackOfProof(ports, repository, policyCommit, policy);
  if (lack) throw held({ code: 'needs-proof', lack }, verified);
}
