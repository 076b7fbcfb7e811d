import type { Job, Repository } from '../../shared/domain.ts';
import type { JobPorts } from '../jobs/ports.ts';

/**
 * Jobs at once as the policies of repositories set them, by repository. A policy is that of a base commit, and it is read
 * with each submission and attempt: the newest one that was read counts.
 */
export type PolicyCaps = {
  note(repoId: string, jobs: number | undefined): void;
  /** Reads the policies of repositories with open jobs, so that the first pass of a new process knows them. */
  load(jobs: readonly Job[], ports: Pick<JobPorts, 'pool' | 'policyAt' | 'repository'>): Promise<void>;
  get(): Readonly<Record<string, number>>;
};

export function createPolicyCaps(): PolicyCaps {
  let caps: Readonly<Record<string, number>> = {};
  return {
    get: () => caps,
    note(repoId, jobs) {
      if (caps[repoId] === jobs) return;
      const { [repoId]: _before, ...others } = caps;
      caps = jobs === undefined ? others : { ...others, [repoId]: jobs };
    },
    async load(jobs, ports) {
      const waiting = new Set(jobs.filter((job) => job.state === 'queued').map((job) => job.repoId));
      for (const repoId of waiting) {
        const repository: Repository | undefined = ports.repository(repoId);
        if (!repository) continue;
        const mirror = ports.pool.mirror(repository);
        // Without a readable policy there is no cap of it; the attempt says what is wrong.
        const commit = await mirror.baseCommit(repository.base).catch(() => undefined);
        if (commit) await ports.policyAt(mirror, repository, commit).catch(() => undefined);
      }
    },
  };
}
