import type { Job, Settings } from '../../shared/domain.ts';
import { buildPrompt } from '../agents/prompt.ts';
import { resolveAgent } from '../agents/registry.ts';
import type { ResolvedPolicy } from '../gate/policy.ts';
import { policyEnvironment } from '../gate/policy-environment.ts';
import type { Environment } from '../processes/environment.ts';
import type { ClaimedSlot } from '../slots/claimed-slot.ts';
import type { Lease } from '../store/store.ts';
import type { SessionWriter } from '../terminals/session-hub.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { failed } from './ending.ts';
import { marksOf } from './job-processes.ts';
import type { Scratch } from './scratch.ts';
import { watchStart } from './start-watch.ts';

export type AttemptSpace = {
  slot: ClaimedSlot;
  pane: SessionWriter;
  scratch: Scratch;
  signal: AbortSignal;
  /** What a person should know about this attempt, beside what the slot says of itself. */
  notes: string[];
};

/** What setup, agent and gate of an attempt may see. */
export function attemptEnvironment(
  job: Job,
  { runnerId }: Pick<Lease, 'runnerId'>,
  policy: ResolvedPolicy,
  scratch: Scratch,
): Environment {
  return policyEnvironment(policy, {
    ...marksOf(runnerId, job.id),
    HEADWAY_TICKET: job.ticket.id,
    HEADWAY_ATTEMPT: String(job.attempts),
    ...scratch.env,
  });
}

/** Lets the agent work in the slot until it ends, is cut by its timeout, or is cancelled. */
export async function agentStage(
  record: AttemptRecord,
  space: AttemptSpace,
  policy: ResolvedPolicy,
  limits: Pick<Settings, 'agentTimeoutMs' | 'agentStartMs'>,
): Promise<void> {
  const { job } = record;
  await record.enter('agent');
  const agent = resolveAgent(job.agent);
  const timeoutMs = job.ticket.timeoutMs ?? limits.agentTimeoutMs;
  using start = watchStart(limits.agentStartMs);
  const outcome = await agent.run({
    ticket: job.ticket,
    prompt: buildPrompt(job.ticket, job.claim.kind === 'paths' ? job.claim.paths : undefined),
    dir: space.slot.path,
    tempDir: space.scratch.dir,
    env: { ...attemptEnvironment(job, record.lease, policy, space.scratch), ...space.slot.env },
    timeoutMs,
    signal: AbortSignal.any([space.signal, start.signal]),
    began: start.began,
    // Not a sign of work: an agent tells what it is before its model has said a word.
    output: (bytes) => space.pane.write(bytes),
    redact: space.pane.redact,
    onUsage: (usage) => record.soon({ usage }),
  });
  if ('usage' in outcome && outcome.usage) {
    await record.note({ usage: outcome.usage });
    await record.change({ usage: outcome.usage });
  }
  switch (outcome.kind) {
    case 'finished':
      return;
    case 'failed':
      throw failed({
        code: 'agent-failed',
        why: outcome.why,
        ...(outcome.exit === undefined ? {} : { exit: outcome.exit }),
      });
    case 'timed-out':
      throw failed({ code: 'timeout', stage: 'agent', limitMs: timeoutMs });
    case 'missing':
      throw failed({ code: 'agent-missing', agent: job.agent, hint: outcome.hint });
    case 'cancelled':
      space.signal.throwIfAborted();
      if (start.signal.aborted) throw failed({ code: 'not-started', limitMs: start.limitMs });
      throw failed({ code: 'agent-failed', why: 'it was cancelled' });
    default:
      outcome satisfies never;
  }
}
