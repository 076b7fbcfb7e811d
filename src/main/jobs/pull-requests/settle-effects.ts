import type { Job, Repository } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { pullRequestsOf } from '../../landing/forge/pull-request.ts';
import { remoteCommit } from '../../landing/forge/remote-branch.ts';
import { isAncestor } from '../../landing/merge-onto.ts';
import type { Effect, Store } from '../../store/store.ts';
import { type ForgePorts, forgeCalls } from './forge-calls.ts';

export type SettlePorts = ForgePorts & {
  store: Store;
  job(jobId: string): Job | undefined;
  repository(repoId: string): Repository | undefined;
  now(): number;
};

/** What became of an orphaned effect. `unknown`: nobody could be asked; it stays open. */
export type Settled = { effect: Effect; outcome: 'done' | 'failed' | 'unknown'; why?: string };

/**
 * Asks outside what became of effects whose jobs do not run, and writes the answer down. A job that goes on does this by
 * itself; this is for those that will not. A comment is a courtesy: where its job does not run it is let go.
 */
export async function settleEffects(signal: AbortSignal, ports: SettlePorts): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const effect of await ports.store.effects.open()) {
    if (ports.job(effect.jobId)?.state === 'running') continue;
    const answer = await ask(effect, signal, ports).catch(
      (thrown: unknown): Answer => ({ outcome: 'unknown', why: toError(thrown).message }),
    );
    signal.throwIfAborted();
    const { outcome, why, data } = answer;
    if (outcome !== 'unknown') {
      const all = { ...effect.data, ...data };
      // Its job may have begun again while the answer came: then it settles what it does now by itself.
      if (!(await ports.store.effects.settleOrphan(effect.key, outcome, all, ports.now()))) continue;
    }
    settled.push({ effect, outcome, ...(why === undefined ? {} : { why }) });
  }
  return settled;
}

type Answer = { outcome: Settled['outcome']; why?: string; data?: Effect['data'] };

async function ask(effect: Effect, signal: AbortSignal, ports: SettlePorts): Promise<Answer> {
  const { data } = effect;
  const repository = ports.repository(String(data.repoId));
  if (!repository) return { outcome: 'unknown', why: 'its repository is no longer registered' };
  const calls = forgeCalls(repository, effect.jobId, signal, ports);
  const yes = (there: boolean): Answer => ({ outcome: there ? 'done' : 'failed' });
  switch (effect.kind) {
    case 'merge': {
      const base = `refs/heads/${String(data.base)}`;
      return yes(await isAncestor(repository.path, String(data.commit), base).catch(() => false)); // unknown there: no
    }
    case 'branch': {
      const found = await remoteCommit(repository.path, String(data.remote), String(data.branch), calls);
      if (!found.ok) return { outcome: 'unknown', why: found.why };
      return yes(found.commit === data.commit);
    }
    case 'pull-request': {
      const found = (await pullRequestsOf(String(data.branch), calls)).find(
        ({ headRefOid }) => headRefOid === data.commit,
      );
      return found ? { outcome: 'done', data: { url: found.url } } : { outcome: 'failed' };
    }
    case 'comment':
      return { outcome: 'failed' };
    default:
      return effect.kind satisfies never;
  }
}
