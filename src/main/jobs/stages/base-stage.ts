import type { Job } from '../../../shared/domain.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { held } from '../ending.ts';
import type { BaseVerdict, JobPorts, JudgedBase } from '../ports.ts';

import type { Prepared } from './prepare.ts';

type Work = NonNullable<Job['work']>;
type Ports = Pick<JobPorts, 'baseVerdicts'>;

const judgedBase = (
  { job }: AttemptRecord,
  { repository, policy }: Prepared,
  commit: string,
): JudgedBase => ({
  repository,
  base: job.base,
  commit,
  policyHash: policy.hash,
  override: job.gate,
});

/** A job that a person released runs on a red base, too; and so do all where the policy says so. */
const mayBeRed = ({ wasReleased }: AttemptRecord, { policy }: Prepared): boolean =>
  policy.baseMustBeGreen === false || policy.gate.length === 0 || wasReleased;

/**
 * No agent starts on a base whose own gate is red: its work could not become green. Where the policy asks for it the gate runs there
 * before the first agent; else only what is known already counts. Work that is there goes on.
 */
export async function baseStage(
  record: AttemptRecord,
  prepared: Prepared,
  signal: AbortSignal,
  ports: Ports,
): Promise<void> {
  if (mayBeRed(record, prepared) || record.job.work) return;
  const judged = judgedBase(record, prepared, prepared.baseCommit);
  const verdict = prepared.policy.baseMustBeGreen
    ? await verdictOf(record, judged, signal, ports)
    : await ports.baseVerdicts.known(judged);
  if (verdict && !verdict.green) throw heldByRed(judged, verdict);
}

/**
 * The gate of a job was red in `step`. Where the bare base is red in the same step, that is not the job's fault: it is held with
 * its work, and goes on when the base has moved.
 */
export async function blameBase(
  record: AttemptRecord,
  prepared: Prepared,
  { step, work, signal }: { step: string; work: Work; signal: AbortSignal },
  ports: Ports,
): Promise<void> {
  if (mayBeRed(record, prepared)) return;
  const judged = judgedBase(record, prepared, work.base);
  const verdict = await verdictOf(record, judged, signal, ports);
  if (!verdict.green && verdict.step === step) throw heldByRed(judged, verdict, work);
}

/** What has landed was judged green as it landed. */
export const rememberGreen = (
  record: AttemptRecord,
  prepared: Prepared,
  commit: string,
  ports: Ports,
): Promise<void> => ports.baseVerdicts.remember(judgedBase(record, prepared, commit), { green: true });

async function verdictOf(
  record: AttemptRecord,
  judged: JudgedBase,
  signal: AbortSignal,
  ports: Ports,
): Promise<BaseVerdict> {
  const onWait = (): void => record.says({ code: 'base-check', base: judged.base });
  const verdict = await ports.baseVerdicts.of(judged, { signal, onWait });
  await record.waits(undefined);
  return verdict;
}

const heldByRed = (
  { base, commit }: JudgedBase,
  { step, why }: Extract<BaseVerdict, { green: false }>,
  work?: Work,
) => held({ code: 'base-red', base, commit, step, why }, work);
