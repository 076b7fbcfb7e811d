import type { Job } from '../../shared/domain.ts';
import { accountOf } from '../agents/account.ts';
import type { Environment } from '../processes/environment.ts';

/**
 * Whose limits a job's next attempt counts for. A repository's policy may give its agents an account of their own: the newest
 * policy that was read counts, as it does for caps. The attempt itself looks again, with all that it knows.
 */
export type AccountOfJob = {
  note(repoId: string, env: Environment): void;
  of(job: Pick<Job, 'repoId' | 'agent' | 'work'>): string | undefined;
};

export function createAccountOfJob(): AccountOfJob {
  const environments = new Map<string, Environment>();
  const known = new Map<string, string | undefined>();
  return {
    note(repoId, env) {
      if (JSON.stringify(environments.get(repoId)) === JSON.stringify(env)) return;
      environments.set(repoId, env);
      known.clear();
    },
    of({ repoId, agent, work }) {
      // Only gate and merge are left.
      if (work) return undefined;
      const key = `${repoId} ${agent}`;
      if (!known.has(key)) known.set(key, accountOf(agent, environments.get(repoId) ?? {})?.id);
      return known.get(key);
    },
  };
}
