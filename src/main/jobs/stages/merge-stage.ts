import { setTimeout as delay } from 'node:timers/promises';
import type { Cause } from '../../../shared/cause.ts';
import { readIdentity } from '../../git/user-identity.ts';
import { bringOnto } from '../../landing/carry-over.ts';
import { type LandResult, land } from '../../landing/land.ts';
import type { AfterLanding } from '../../landing/landed-checkout.ts';
import { refusalMark } from '../../landing/refusal-mark.ts';
import { patiently } from '../../limits/patiently.ts';
import type { Holder } from '../../processes/lock-holder.ts';
import { type AttemptRecord, LeaseLost } from '../attempt-record.ts';
import { held, retry } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import { findMerged } from '../reconcile.ts';
import { keepWork } from '../saved/kept-work.ts';
import type { AttemptSpace } from './agent-stage.ts';
import { rememberGreen } from './base-stage.ts';
import { gateStage, type Verified } from './gate-stage.ts';
import { installStage } from './install-stage.ts';
import { mergeMessage } from './job-commit.ts';
import { mayMerge } from './may-merge.ts';
import { fetchCommit, type Prepared, trustedPolicy } from './prepare.ts';
import { pullRequestStage } from './pull-request-stage.ts';
import { mergesBefore } from './stray-order.ts';

const LOOK_MS = 1_000;
/** A person who commits just now has uncommitted work for a moment: not yet a reason to hold the job. */
const LOOKS_AT_WORK = 4;
const LOOK_AT_WORK_MS = 500;

/**
 * Lands what was verified, and nothing else. One at a time per repository. Base unchanged since the gate: land. Base
 * moved: merge, verify the merged tree, land. Conflict: back to the queue with the files really touched.
 */
export async function mergeStage(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  verified: Verified,
  ports: JobPorts,
): Promise<string> {
  await record.enter('merge');
  await afterThoseStrayedInto(record, space, ports);
  if (prepared.policy.merge.style === 'pull-request') {
    await record.waits(undefined);
    throw await pullRequestStage(record, space, prepared, verified, ports);
  }
  await using _turn = await mergeTurn(record, space, ports);
  await record.waits(undefined);
  let current = verified;
  for (;;) {
    const landed = await tryToLand(record, space, prepared, current, ports);
    if ('commit' in landed) return landed.commit;
    // Moved by an attempt of this very job that was taken for dead: it is done.
    const mine = await findMerged(record.job, ports);
    if (mine) return mine;
    current = await verifyOnNewBase(record, space, prepared, current, landed.moved, ports);
    await record.enter('merge');
  }
}

/** A job that wrote into the paths of another one in flight merges after it; see `mergesBefore`. */
async function afterThoseStrayedInto(
  record: AttemptRecord,
  space: AttemptSpace,
  ports: JobPorts,
): Promise<void> {
  for (;;) {
    const ahead = mergesBefore(record.job, ports.inFlight(record.job));
    if (!ahead) return;
    await record.waits({ code: 'waits-for-merge', jobId: ahead.id, ticketId: ahead.ticket.id });
    await ports.nextChange(space.signal, LOOK_MS);
  }
}

/** The repository's merge turn, as a lock in the store: held by one attempt in any process, at most while its lease holds. */
async function mergeTurn(
  record: AttemptRecord,
  space: AttemptSpace,
  ports: JobPorts,
): Promise<AsyncDisposable> {
  const { job } = record;
  const name = `merge:${job.repoId}`;
  for (;;) {
    const { held: mine, by } = await ports.store.locks.tryAcquire(name, record.lease);
    if (mine) break;
    const ticketId = (await ports.store.jobs.get(by.jobId))?.ticket.id ?? by.jobId;
    await record.waits({ code: 'waits-for-merge', jobId: by.jobId, ticketId });
    await ports.nextChange(space.signal, LOOK_MS);
  }
  return {
    async [Symbol.asyncDispose]() {
      await ports.store.locks.release(name, record.lease);
      ports.changed();
    },
  };
}

const waitsForProcess = (holder: Holder | undefined): Cause => ({
  code: 'waits-for-process',
  ...(holder ?? { suspended: false }),
});

async function tryToLand(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  verified: Verified,
  ports: JobPorts,
): Promise<{ commit: string } | { moved: string }> {
  space.signal.throwIfAborted();
  const { job } = record;
  const key = `merge:${job.id}:${verified.head}`;
  const data = { repoId: job.repoId, base: job.base, expected: verified.base, commit: verified.head };
  const intent = { key, jobId: job.id, kind: 'merge', state: 'intended', data } as const;
  const createdAt = ports.clock.now();
  const stands = await patiently(
    () => ports.store.effects.intend({ ...intent, createdAt }, record.lease),
    space.signal,
  );
  if (!stands) throw new LeaseLost();
  let result: LandResult;
  for (let look = 1; ; look += 1) {
    result = await land({
      slotPath: space.slot.path,
      repository: prepared.repository,
      base: job.base,
      expectedBase: verified.base,
      commit: verified.head,
      wait: { signal: space.signal, onWait: (holder) => record.says(waitsForProcess(holder)) },
    });
    await record.waits(undefined);
    if (result.kind !== 'uncommitted' || look === LOOKS_AT_WORK) break;
    await delay(LOOK_AT_WORK_MS, undefined, { signal: space.signal });
  }
  const settle = (state: 'done' | 'failed'): Promise<void> =>
    patiently(
      () => ports.store.effects.settle(key, state, { ...data, result: result.kind }, ports.clock.now()),
      space.signal,
    );
  await settle(result.kind === 'landed' ? 'done' : 'failed');
  const work = { base: verified.base, head: verified.head };
  switch (result.kind) {
    case 'landed':
      await rememberGreen(record, prepared, verified.head, ports);
      if (result.checkout) space.notes.push(checkoutNote(result.checkout));
      return { commit: verified.head };
    case 'moved':
      return { moved: result.base };
    case 'uncommitted':
      throw held({ code: 'uncommitted-work', path: result.path, files: result.files }, work);
    case 'base-missing':
      throw held(
        { code: 'base-missing', base: job.base, why: `it is gone from ${prepared.repository.path}` },
        work,
      );
    case 'refused': {
      const seen = await refusalMark(prepared.repository, job.base);
      throw held({ code: 'merge-refused', why: result.why, seen }, work);
    }
    default:
      return result satisfies never;
  }
}

const MOST_FILES = 5;

/** What a person should know of their checkout where it did not follow the merge by itself. */
function checkoutNote({ path, files }: AfterLanding): string {
  const why = `${path} did not follow the merge (a push-to-checkout hook keeps git from moving it)`;
  if (files.length === 0) return `${why}: Headway moved its files`;
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : '';
  return (
    `${why}: ${files.slice(0, MOST_FILES).join(', ')}${more} still differ from what was merged. Before you commit there, ` +
    'see what differs with "git diff HEAD", and take what was merged with "git checkout HEAD -- FILE"'
  );
}

/** The base moved since the work was made or judged: the merged tree is another tree, so it is verified itself. */
export async function verifyOnNewBase(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  verified: Verified,
  base: string,
  ports: JobPorts,
): Promise<Verified> {
  const { job } = record;
  await fetchCommit(prepared.mirror, base, space.signal);
  const merged = await bringOnto({
    cwd: space.slot.path,
    oldBase: verified.base,
    base,
    head: verified.head,
    message: mergeMessage(job, prepared.policy.commits),
    identity: await readIdentity(prepared.repository.path),
  });
  if (merged.kind === 'conflict') {
    throw retry({ code: 'merge-conflict', files: merged.files });
  }
  const next = { base, head: merged.commit };
  prepared.policy = await trustedPolicy(job, prepared.repository, prepared.mirror, base, ports);
  // First: the slot then finds the commit in the mirror.
  await keepWork({
    slotPath: space.slot.path,
    mirror: prepared.mirror,
    jobId: job.id,
    commit: merged.commit,
  });
  await space.slot.checkout(merged.commit, job.branch ?? job.id);
  await record.change({ commit: merged.commit, work: next });
  await installStage(record, space, ports.settings().maxInstalls);
  await gateStage(record, space, prepared, next, ports);
  await mayMerge(record, prepared, base, next, ports);
  return next;
}
