import type { GateResult } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { forgeWords } from '../../landing/forge/forge-environment.ts';
import type { ForgeCalls } from '../../landing/forge/gh.ts';
import { ensureComment, ensurePullRequest } from '../../landing/forge/pull-request.ts';
import { pushBranch } from '../../landing/forge/remote-branch.ts';
import type { Effect } from '../../store/store.ts';
import { type AttemptRecord, LeaseLost } from '../attempt-record.ts';
import { type Ended, held } from '../ending.ts';
import type { JobPorts } from '../ports.ts';
import { forgeCalls } from '../pull-requests/forge-calls.ts';
import type { AttemptSpace } from './agent-stage.ts';
import type { Verified } from './gate-stage.ts';
import { pullRequestText } from './job-commit.ts';
import type { Prepared } from './prepare.ts';

/**
 * What green work becomes where the policy says pull-request: its branch on the remote, and one open pull request. Each
 * is written down before it happens and looked for before it is done. It always ends held: a person merges there.
 */
export async function pullRequestStage(
  record: AttemptRecord,
  space: AttemptSpace,
  prepared: Prepared,
  verified: Verified,
  ports: JobPorts,
): Promise<Ended> {
  const { job } = record;
  const { repository, mirror, policy } = prepared;
  const { remote } = policy.merge;
  const branch = job.branch ?? job.id;
  const calls: ForgeCalls = {
    ...forgeCalls(repository, job.id, space.signal, ports),
    onWait: (waitMs, why) => record.says({ code: 'backoff', untilAt: ports.clock.now() + waitMs, why }),
  };
  const earlier = await ports.store.effects.ofJob(job.id);
  try {
    await effect('branch', { remote, branch }, async () => {
      const mine = earlier.flatMap(({ kind, data }) => (kind === 'branch' ? [String(data.commit)] : []));
      const target = { clonePath: repository.path, mirrorPath: mirror.path, remote, branch };
      const pushed = await pushBranch({ ...target, commit: verified.head }, mine, calls);
      if (pushed.kind === 'failed') throw new HeadwayError('internal', pushed.why);
      return {};
    });
    const text = pullRequestText(job, policy.commits);
    const base = job.base.startsWith(`${remote}/`) ? job.base.slice(remote.length + 1) : job.base;
    const proof = gateWords((await ports.store.jobs.attempts(job.id)).at(-1)?.gates.at(-1), verified.head);
    const { url } = await effect('pull-request', { branch, base }, async () => {
      const made = await ensurePullRequest(
        { branch, base, title: text.title, body: `${proof}\n\n${text.body}\n` },
        calls,
      );
      return { url: made.url };
    });
    if (
      earlier.some(
        (one) => one.kind === 'pull-request' && one.data.url === url && one.data.commit !== verified.head,
      )
    ) {
      await effect('comment', { url }, async () => {
        await ensureComment(
          { url, mark: `${job.id} ${verified.head}`, text: `Worked on again. ${proof}` },
          calls,
        );
        return {};
      });
    }
    return held({ code: 'awaits-pull-request', url, merged: false }, verified);
  } catch (thrown) {
    // What was begun stays written down as it is: nobody knows how it ended until somebody looks.
    if (!(thrown instanceof HeadwayError) || space.signal.aborted) throw thrown;
    return held({ code: 'merge-refused', why: forgeWords(thrown.message) }, verified);
  }

  /** Does what stands under the key once; what was done before is not done again. */
  async function effect<T extends Record<string, unknown>>(
    kind: Effect['kind'],
    about: Record<string, unknown>,
    act: () => Promise<T>,
  ): Promise<T> {
    space.signal.throwIfAborted();
    const key = `${kind}:${job.id}:${verified.head}`;
    const data = { repoId: job.repoId, commit: verified.head, ...about };
    const createdAt = ports.clock.now();
    const intent: Effect = { key, jobId: job.id, kind, state: 'intended', data, createdAt };
    const stands = await ports.store.effects.intend(intent, record.lease);
    if (!stands) throw new LeaseLost();
    const result = await act();
    await ports.store.effects.settle(key, 'done', { ...data, ...result }, ports.clock.now());
    return result;
  }
}

/** What the gate proved, in the words of a pull request. */
function gateWords(gate: GateResult | undefined, head: string): string {
  if (gate === undefined) return `Gate green at ${head}.`;
  const steps = gate.steps.map(({ name, reason }) => `- ${name}: ${reason}`);
  return [`Gate ${gate.verdict} at ${gate.commit}.`, ...steps].join('\n');
}
