import type { Job } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { matchesAny } from '../gate/globs.ts';
import { isWithinClaim } from '../scheduling/claims.ts';
import { isDiskFull } from '../slots/steadily.ts';
import type { AttemptSpace } from './agent-stage.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { failed } from './ending.ts';
import { installStage } from './install-stage.ts';
import { commitWork } from './job-commit.ts';
import { keepWork } from './kept-work.ts';
import type { Prepared } from './prepare.ts';

/** Files outside what the ticket declared. A ticket that touches everything cannot stray; what tools write is not counted. */
function strayed(job: Job, files: readonly string[], generated: readonly string[]): string[] {
  if (job.claim.kind === 'everything') return [];
  return files.filter((file) => !isWithinClaim(file, job.claim) && !matchesAny(file, generated));
}

/**
 * Turns what the agent left in the slot into commits on the job's branch, and holds the files that really changed
 * against the declaration. The work is kept under a ref of Headway's own before anything else happens to it. Afterwards
 * the slot holds a fresh checkout of that commit with what its own lockfile asks for: what the agent left beside it
 * (ignored files, a submodule that stands elsewhere) is not there for the gate to lean on.
 */
export async function collect(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  maxInstalls: number,
): Promise<string> {
  const { job } = record;
  const { slot } = space;
  const { repository, baseCommit: base } = prepared;
  const { head, files } = await commitWork({
    slotPath: slot.path,
    repository,
    base,
    job,
    policy: prepared.policy.commits,
  }).catch((thrown) => {
    const why = toError(thrown).message;
    if (isDiskFull(why)) throw thrown;
    throw failed({ code: 'agent-failed', why: `its work cannot be committed: ${why}` });
  });
  if (files.length === 0) throw failed({ code: 'no-changes' });
  await keepWork({ slotPath: slot.path, mirror: prepared.mirror, jobId: job.id, commit: head });
  await record.change({
    files,
    strayed: strayed(job, files, prepared.policy.generated),
    commit: head,
    work: { base, head },
  });
  await record.enter('checkout');
  await slot.checkout(head, job.branch ?? job.id);
  await installStage(record, space, maxInstalls);
  return head;
}
