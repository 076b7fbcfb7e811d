import type { Job } from '../../shared/domain.ts';
import { findLanded } from '../landing/find-landed.ts';
import { isAncestor } from '../landing/merge-onto.ts';
import type { JobPorts } from './ports.ts';

/** A crash may lie between landing and recording it: before anything is repeated, the base is asked. */
export async function findMerged(job: Job, ports: JobPorts): Promise<string | undefined> {
  const repository = ports.repository(job.repoId);
  if (!repository || job.attempts <= 1) return undefined;
  let landed = await findLanded(repository, job.base, job.id, job.work?.base);
  for (const effect of await ports.store.effects.ofJob(job.id)) {
    if (effect.kind !== 'merge' || effect.state === 'failed') continue;
    const commit = String(effect.data.commit);
    // A policy may leave the trailer out: then the commit itself is looked for.
    const there = await isAncestor(repository.path, commit, `refs/heads/${job.base}`).catch(() => false);
    if (there) landed = commit;
    if (effect.state === 'intended')
      await ports.store.effects.settle(
        effect.key,
        landed ? 'done' : 'failed',
        effect.data,
        ports.clock.now(),
      );
  }
  return landed;
}
