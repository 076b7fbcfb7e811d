import type { Job, Settings } from '../../../shared/domain.ts';
import { accountOf } from '../../agents/account.ts';
import type { AccountLimits } from '../../agents/agent.ts';
import { buildPrompt } from '../../agents/prompt.ts';
import { resolveAgent } from '../../agents/registry.ts';
import type { ResolvedPolicy } from '../../gate/policy/policy.ts';
import { policyEnvironment } from '../../gate/policy/policy-environment.ts';
import {
  type Account,
  type AccountPause,
  type AccountPauses,
  pauseCause,
} from '../../limits/account-pauses.ts';
import type { UsageLimit } from '../../limits/usage-limit.ts';
import type { Environment } from '../../processes/environment.ts';
import type { ClaimedSlot } from '../../slots/pool/claimed-slot.ts';
import type { Lease } from '../../store/store.ts';
import type { SessionWriter } from '../../terminals/session-hub.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { Ended, failed } from '../ending.ts';
import { marksOf } from '../job-processes.ts';
import type { Scratch } from './scratch.ts';
import { watchStart } from './start-watch.ts';

/** Where an attempt is: first in the agent's slot, then in one of the gate's. */
export type AttemptSpace = {
  slot: ClaimedSlot;
  pane: SessionWriter;
  scratch: Scratch;
  signal: AbortSignal;
  /** What a person should know about this attempt, beside what the slot says of itself. */
  notes: string[];
  /** Settles when the slot that it left is at rest again. */
  left?: Promise<void>;
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

/** Back in the queue until its account takes work again: nobody's fault, so no attempt is counted. */
const untilReset = (pause: AccountPause): Ended =>
  new Ended({ outcome: 'requeued', cause: pauseCause(pause) });

/**
 * Lets the agent work in the slot until it ends, is cut by its timeout, or is cancelled. Answers with the pause of its account
 * where it ended well and its last words were of a usage limit: then it may have done nothing.
 */
export async function agentStage(
  record: AttemptRecord,
  space: AttemptSpace,
  policy: ResolvedPolicy,
  limits: Pick<Settings, 'agentTimeoutMs' | 'agentStartMs'>,
  accounts: AccountPauses,
): Promise<(() => Promise<Ended>) | undefined> {
  const { job } = record;
  await record.enter('agent');
  const agent = resolveAgent(job.agent);
  const timeoutMs = job.ticket.timeoutMs ?? limits.agentTimeoutMs;
  const env = { ...attemptEnvironment(job, record.lease, policy, space.scratch), ...space.slot.env };
  const account = accountOf(job.agent, env);
  // The queue knows it by what was known of the policy then, and others may have been refused since.
  const pause = account && accounts.of(account.id);
  if (pause) throw untilReset(pause);
  const refused = (limit: UsageLimit): Promise<AccountPause> =>
    accounts.limited(account ?? { id: `agent-${job.agent}`, label: `agent ${job.agent}` }, {
      ...limit,
      why: space.pane.redact(limit.why),
    });
  using start = watchStart(limits.agentStartMs);
  const outcome = await agent.run({
    ticket: job.ticket,
    prompt: buildPrompt(job.ticket, job.claim.kind === 'paths' ? job.claim.paths : undefined),
    dir: space.slot.path,
    tempDir: space.scratch.dir,
    env,
    timeoutMs,
    signal: AbortSignal.any([space.signal, start.signal]),
    began: start.began,
    ...(account ? { limits: limitsOf(account, accounts, refused) } : {}),
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
    case 'finished': {
      const { limit } = outcome;
      if (limit) return async () => untilReset(await refused(limit));
      if (account) await accounts.worked(account);
      return undefined;
    }
    case 'limited':
      throw untilReset(await refused(outcome.limit));
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

function limitsOf(
  account: Account,
  accounts: AccountPauses,
  refused: (limit: UsageLimit) => Promise<AccountPause>,
): AccountLimits {
  return {
    pausedMs: () => accounts.leftMs(account.id),
    limited: async (limit) => {
      await refused(limit);
    },
  };
}
