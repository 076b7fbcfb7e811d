import type { SlotUse } from '../../paths/layout.ts';
import type { ClaimedSlot } from '../../slots/pool/claimed-slot.ts';
import type { SlotPlan } from '../../slots/pool/slot-plan.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import type { JobPorts } from '../ports.ts';
import { attemptEnvironment } from './agent-stage.ts';
import type { Prepared } from './prepare.ts';
import type { Scratch } from './scratch.ts';

/** How a slot of the attempt is set up; its installs see what else runs there sees. */
export const planOf = (record: AttemptRecord, { policy }: Prepared, scratch: Scratch): SlotPlan => ({
  caches: policy.caches,
  env: attemptEnvironment(record.job, record.lease, policy, scratch),
  ...(policy.setup === undefined ? {} : { setup: policy.setup }),
});

/** Claims a slot for the attempt, and writes down that it is there. */
export async function claimSlot(
  record: AttemptRecord,
  options: { use: SlotUse; commit: string; prepared: Prepared; scratch: Scratch; signal: AbortSignal },
  ports: JobPorts,
): Promise<ClaimedSlot> {
  const { use, commit, prepared, scratch, signal } = options;
  const slot = await ports.pool.claim({
    repository: prepared.repository,
    use,
    commit,
    plan: planOf(record, prepared, scratch),
    holder: { jobId: record.job.id },
    signal,
    onWait: (why) => record.says({ code: 'waits-for-slot', why }),
  });
  try {
    await record.change({ slotId: slot.slot.id });
    await record.note({ slotId: slot.slot.id });
    return slot;
  } catch (thrown) {
    await slot[Symbol.asyncDispose]();
    throw thrown;
  }
}
