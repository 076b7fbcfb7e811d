import type { Claim, Job } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { isDiskFull } from '../../limits/steadily.ts';
import { matchesAny } from '../../paths/globs.ts';
import { isWithinClaim, renamed } from '../../scheduling/claims.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { failed } from '../ending.ts';
import { keepWork } from '../saved/kept-work.ts';
import { namesAt } from '../submission/base-names.ts';
import type { AttemptSpace } from './agent-stage.ts';
import { commitWork } from './job-commit.ts';
import type { Prepared } from './prepare.ts';

/**
 * Files outside what the ticket declared. A ticket that touches everything cannot stray; what tools write is not counted.
 * Git reports what was written through a link by its real name, and links may lead elsewhere than when the ticket came in.
 */
export async function strayed(
  { claim }: Job,
  files: readonly string[],
  { mirror, baseCommit, policy }: Prepared,
): Promise<string[]> {
  const outside = (within: Claim): string[] =>
    files.filter((file) => !isWithinClaim(file, within) && !matchesAny(file, policy.generated));
  if (outside(claim).length === 0) return [];
  return outside(renamed(claim, (await namesAt(mirror, baseCommit)).names));
}

/**
 * Turns what the agent left in the slot into commits on the job's branch, and holds the files that really changed
 * against the declaration. The work is kept under a ref of Headway's own before anything else happens to it. Returns the commit.
 */
export async function collect(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
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
    strayed: await strayed(job, files, prepared),
    commit: head,
    work: { base, head },
  });
  return head;
}
