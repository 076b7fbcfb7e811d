import { randomUUID } from 'node:crypto';
import type { AttemptRecord } from '../attempt-record.ts';
import type { JobPorts } from '../ports.ts';
import type { AttemptSpace } from './agent-stage.ts';
import { claimSlot, planOf } from './claim-slot.ts';
import { installStage } from './install-stage.ts';
import type { Prepared } from './prepare.ts';
import { openScratch } from './scratch.ts';

/**
 * Moves the attempt into a slot that no agent ever had, with a temp directory and a home of its own, and checks the commit out there. What the
 * agent left in its own slot (pipes, sockets, ignored files, a directory that it still holds open) is elsewhere; that slot is reset meanwhile.
 */
export async function standForGate(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  commit: string,
  ports: JobPorts,
): Promise<void> {
  const { job, lease } = record;
  await record.enter('checkout');
  const scratch = await openScratch(ports.tempDir, `${job.id}-${lease.attempt}-g`, 'gate');
  const claimed = claimSlot(record, { use: 'gate', commit, prepared, scratch, signal: space.signal }, ports);
  const slot = await claimed.catch(async (thrown: unknown) => {
    await scratch[Symbol.asyncDispose]();
    throw thrown;
  });
  const agents = { slot: space.slot, scratch: space.scratch };
  space.slot = slot;
  space.scratch = scratch;
  space.left = agents.slot[Symbol.asyncDispose]().then(() => agents.scratch[Symbol.asyncDispose]());
  await record.waits(undefined);
  await slot.checkout(commit, job.branch ?? job.id);
  await installStage(record, space, ports.settings().maxInstalls);
}

/**
 * Makes a slot ready for the gate while the agent works, so that no gate waits for the first install. The pool's work, not the attempt's: the next
 * job has use for it, too.
 */
export function spareGateSlot(record: AttemptRecord, prepared: Prepared, ports: JobPorts): void {
  const make = async (): Promise<void> => {
    await using scratch = await openScratch(ports.tempDir, `spare-${randomUUID().slice(0, 8)}`, 'gate');
    await ports.pool.spare(prepared.repository, planOf(record, prepared, scratch));
  };
  make().catch(() => undefined); // what could not be made ready beforehand is made when it is needed, and tells then
}
