import type { Cause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { isDiskFull } from '../limits/steadily.ts';
import type { StopReason } from '../scheduling/attempts.ts';
import type { ClaimedSlot } from '../slots/pool/claimed-slot.ts';
import type { Lease } from '../store/store.ts';
import { AttemptRecord, LeaseLost } from './attempt-record.ts';
import { Ended, type Ending } from './ending.ts';
import { watchOutside } from './held/watch-outside.ts';
import type { JobPorts } from './ports.ts';
import { findMergedPullRequest } from './pull-requests/find-pull-request.ts';
import { findMerged } from './reconcile.ts';
import { backoffCause, decideRetry, exhausted } from './retry-policy.ts';
import { type AttemptSpace, agentStage } from './stages/agent-stage.ts';
import { baseStage } from './stages/base-stage.ts';
import { claimSlot } from './stages/claim-slot.ts';
import { collect } from './stages/collect.ts';
import { gateStage } from './stages/gate-stage.ts';
import { spareGateSlot, standForGate } from './stages/gate-tree.ts';
import { installStage } from './stages/install-stage.ts';
import { mayMerge } from './stages/may-merge.ts';
import { mergeStage, verifyOnNewBase } from './stages/merge-stage.ts';
import { type Prepared, prepare } from './stages/prepare.ts';
import { releaseProven } from './stages/proof-demand.ts';
import { savedFiles } from './stages/saved-files.ts';
import { openScratch } from './stages/scratch.ts';

/**
 * One attempt at a job: slot → checkout → install → agent → gate → merge. Every resource is released on every path out,
 * and the end is recorded once; an attempt whose lease is gone records nothing and rejects with words that say so.
 */
export async function runAttempt(
  job: Job,
  lease: Lease,
  signal: AbortSignal,
  ports: JobPorts,
): Promise<void> {
  const record = new AttemptRecord({
    store: ports.store,
    lease,
    job,
    clock: ports.clock,
    signal,
    changed: ports.changed,
  });
  const sessionId = `${job.id}-${lease.attempt}`;
  const pane = ports.hub.open({
    id: sessionId,
    kind: 'job',
    repoId: job.repoId,
    jobId: job.id,
    title: `${job.ticket.id} ${job.ticket.title}`,
  });
  let space: AttemptSpace | undefined;
  let prepared: Prepared | undefined;
  let ending: Ending | undefined;
  let stale = false;
  try {
    await record.change({ sessionId });
    await record.note({ sessionId });
    const landed = (await findMerged(job, ports)) ?? (await findMergedPullRequest(job, signal, ports));
    if (landed) {
      ending = { outcome: 'merged', commit: landed };
    } else {
      prepared = await prepare(record.job, ports, signal);
      await record.note({ baseCommit: prepared.baseCommit });
      await baseStage(record, prepared, signal, ports);
      space = await openSpace(record, prepared, pane, signal, ports);
      ending = { outcome: 'merged', commit: await work(record, space, prepared, ports) };
      // What its gate left for the next one is as good as the base now.
      await space.slot.stepCaches.keep().catch(() => undefined); // then it is slower, nothing else
    }
    await recordMerged(record, ending.commit, ports);
  } catch (thrown) {
    ending = await endBadly(record, thrown, signal, { slot: space?.slot, prepared }, ports);
    stale = !ending && isStale(thrown, signal);
  } finally {
    const last = stale ? staleWords(job, lease) : ending && lastLine(ending, record.job);
    if (last) pane.write(Buffer.from(`\r\n${last}\r\n`));
    await pane.end(ending?.outcome === 'merged' ? 0 : 1);
    await space?.slot[Symbol.asyncDispose]();
    await space?.scratch[Symbol.asyncDispose]();
    await space?.left;
  }
  if (stale) throw new Error(staleWords(job, lease));
}

/** Its work is on the base. So it is merged, also where a person cancelled it while it landed. */
async function recordMerged(record: AttemptRecord, commit: string, ports: JobPorts): Promise<void> {
  const merged = {
    state: 'merged',
    verdict: 'green',
    commit,
    cause: undefined,
    work: undefined,
  } as const;
  try {
    await record.end('merged', merged);
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown;
    const endedAt = ports.clock.now();
    const change = { ...merged, stage: undefined, slotId: undefined, endedAt };
    if (!(await ports.store.jobs.transition(record.job.id, ['cancelled'], change))) throw thrown;
    ports.changed();
  }
}

/** Its job went on without it; whatever it did since is refused by its number. */
const isStale = (thrown: unknown, signal: AbortSignal): boolean =>
  thrown instanceof LeaseLost || (signal.aborted && signal.reason === 'lease-lost');

const staleWords = (job: Job, lease: Lease): string =>
  `stale attempt ${lease.attempt} of ${job.ticket.id} (${job.id}): refused, because it was taken over meanwhile`;

/** Where the attempt begins: in a slot for work, or, with work that only waits to be judged, in one of the gate's. */
async function openSpace(
  record: AttemptRecord,
  prepared: Prepared,
  pane: AttemptSpace['pane'],
  signal: AbortSignal,
  ports: JobPorts,
): Promise<AttemptSpace> {
  await record.enter('slot');
  const { job } = record;
  const use = job.work ? 'gate' : 'work';
  const commit = job.work?.head ?? prepared.baseCommit;
  const scratch = await openScratch(ports.tempDir, `${job.id}-${record.lease.attempt}`, use);
  try {
    const slot = await claimSlot(record, { use, commit, prepared, scratch, signal }, ports);
    return { slot, pane, scratch, signal, notes: [] };
  } catch (thrown) {
    await scratch[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The stages inside the slot. Returns the commit that landed. */
async function work(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  ports: JobPorts,
): Promise<string> {
  const { job } = record;
  await using _outside = await watchOutside(record, space, prepared, ports);
  await record.enter('checkout');
  const branch = `headway/${job.ticket.id}-${job.id.slice(-6)}`;
  await record.change({ branch });
  const resumed = job.work;
  await space.slot.checkout(resumed?.head ?? prepared.baseCommit, branch);
  await installStage(record, space, ports.settings().maxInstalls);
  let verified: { base: string; head: string };
  if (resumed) {
    verified = resumed;
  } else {
    // A yes is to what was seen, not to what an agent makes next.
    if (job.approved) await record.change({ approved: undefined });
    spareGateSlot(record, prepared, ports);
    const refusal = await agentStage(record, space, prepared.policy, ports.settings(), ports.accounts);
    const head = await collect(record, space, prepared).catch(async (thrown: unknown) => {
      throw refusal && isEmptyHanded(thrown) ? await refusal() : thrown;
    });
    verified = { base: prepared.baseCommit, head };
    await standForGate(record, space, prepared, head, ports);
  }
  if (verified.base !== prepared.baseCommit) {
    // What it said on a base that is no more decides nothing.
    verified = await verifyOnNewBase(record, space, prepared, verified, prepared.baseCommit, ports);
  } else {
    await gateStage(record, space, prepared, verified, ports);
    await mayMerge(record, prepared, prepared.baseCommit, verified, ports);
  }
  // Awaited here: what watches outside looks again only after it.
  return await mergeStage(record, space, prepared, verified, ports);
}

const isEmptyHanded = (thrown: unknown): boolean =>
  thrown instanceof Ended && thrown.ending.outcome === 'failed' && thrown.ending.cause.code === 'no-changes';

/** Records how an attempt that did not merge ended. What it made is kept first. Undefined: it was not its own to say. */
async function endBadly(
  record: AttemptRecord,
  thrown: unknown,
  signal: AbortSignal,
  { slot, prepared }: { slot: ClaimedSlot | undefined; prepared: Prepared | undefined },
  ports: JobPorts,
): Promise<Ending | undefined> {
  const ending =
    thrown instanceof LeaseLost
      ? undefined
      : forWantOfRoom(endingOf(thrown, signal, record.job.work), record.job.work, ports.slotsDir);
  const kept = await slot?.keep(`${record.job.id}/${record.lease.attempt}`).catch(() => undefined); // the pool quarantines it then
  const saved = prepared && (await savedFiles(record.job, prepared, kept));
  if (!ending) {
    // Cancelled: who reopens it starts with what it touched.
    if (saved) await ports.store.jobs.transition(record.job.id, ['cancelled'], saved);
    return undefined;
  }
  try {
    if (saved) await record.change(saved);
    await recordEnding(record, ending, ports);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    return undefined;
  }
  return ending;
}

async function recordEnding(record: AttemptRecord, ending: Ending, ports: JobPorts): Promise<void> {
  if (ending.outcome === 'merged') return;
  const { cause, work } = ending;
  const queued = { state: 'queued', work, verdict: undefined } as const;
  if (ending.outcome === 'requeued') return record.end('requeued', { ...queued, cause });
  if (ending.outcome !== 'retry') {
    await record.end(ending.outcome, { state: ending.outcome, cause, work });
    // One that ended meanwhile did not see this job wait.
    const repository = cause.code === 'needs-proof' ? ports.repository(record.job.repoId) : undefined;
    if (repository) await releaseProven(ports, repository);
    return;
  }
  const decision = decideRetry({
    cause,
    earlier: await record.earlier(),
    maxAttempts: ports.settings().maxAttempts,
    nowMs: ports.clock.now(),
    jitter: Math.random(),
  });
  if (decision.kind === 'final') {
    const last = exhausted(cause, record.lease.attempt);
    return record.end(last.outcome, { state: last.outcome, cause: last.cause, work }, cause);
  }
  const { notBeforeAt } = decision;
  return record.end(
    'requeued',
    notBeforeAt === undefined
      ? { ...queued, cause }
      : { ...queued, cause: backoffCause(cause, notBeforeAt), notBeforeAt },
    cause,
  );
}

function endingOf(thrown: unknown, signal: AbortSignal, work: Job['work']): Ending | undefined {
  if (signal.aborted) {
    const reason = signal.reason as StopReason;
    // Cancelled or lost: the store says so already. Stopping: the next start goes on.
    if (reason !== 'stopping') return undefined;
    const cause: Cause = { code: 'runner-lost', why: 'Headway was stopped' };
    return { outcome: 'requeued', cause, ...(work ? { work } : {}) };
  }
  if (thrown instanceof Ended) return thrown.ending;
  const why = toError(thrown).message;
  const kept = work ? { work } : {};
  if (!(thrown instanceof HeadwayError)) return { outcome: 'failed', cause: { code: 'internal', why } };
  if (thrown.code === 'busy') return { outcome: 'retry', cause: { code: 'busy', why }, ...kept };
  if (thrown.code === 'internal') return { outcome: 'failed', cause: { code: 'internal', why } };
  // The cause says so itself.
  const cause: Cause = { code: 'no-slot', why: why.replace(/^no slot: /, '') };
  return thrown.code === 'unavailable' ? { outcome: 'retry', cause, ...kept } : { outcome: 'failed', cause };
}

/** Causes in the words of our own tools, which may be a full disk whatever they were doing. */
const OWN_TROUBLES: readonly Cause['code'][] = [
  'busy',
  'fetch-failed',
  'no-slot',
  'install-failed',
  'install-unreachable',
  'internal',
];

/** A full disk is nobody's fault: the job goes on when there is room, with the work that it has. */
function forWantOfRoom(ending: Ending | undefined, work: Job['work'], path: string): Ending | undefined {
  if (!ending || ending.outcome === 'merged' || !OWN_TROUBLES.includes(ending.cause.code)) return ending;
  const why = 'why' in ending.cause ? (ending.cause.why ?? '') : '';
  if (!isDiskFull(why)) return ending;
  return { outcome: 'retry', cause: { code: 'disk-full', path, why }, ...(work ? { work } : {}) };
}

function lastLine(ending: Ending, job: Job): string {
  if (ending.outcome === 'merged') return `merged ${ending.commit.slice(0, 10)} into ${job.base}`;
  return ending.outcome;
}
