import type { Job, Repository } from '../../shared/domain.ts';
import type { Proofs } from './proofs.ts';

/** What a new proof can mend; holes stay until somebody changes the gate or the code. */
const MENDABLE = ['missing', 'stale', 'old'];

/**
 * Pure: the repositories to prove now. Only while no job runs, because a proof takes the machine for minutes; each waiting job
 * asks once.
 */
export function dueProofs(
  jobs: readonly Job[],
  asked: ReadonlySet<string>,
): { repoId: string; jobIds: string[] }[] {
  if (jobs.some(({ state }) => state === 'running')) return [];
  const due = new Map<string, string[]>();
  for (const { id, repoId, state, cause } of jobs) {
    if (state !== 'held' || cause?.code !== 'needs-proof' || !MENDABLE.includes(cause.lack.kind)) continue;
    if (!asked.has(id)) due.set(repoId, [...(due.get(repoId) ?? []), id]);
  }
  return [...due].map(([repoId, jobIds]) => ({ repoId, jobIds }));
}

/** Proves by itself the repositories whose jobs wait for nothing else. `look` is called whenever a job changed. */
export function createProofSchedule(options: {
  jobs(): readonly Job[];
  repository(repoId: string): Repository | undefined;
  proofs: Pick<Proofs, 'start'>;
  onProblem(thrown: unknown): void;
}): { look(): void } {
  const asked = new Set<string>();
  return {
    look() {
      for (const { repoId, jobIds } of dueProofs(options.jobs(), asked)) {
        const repository = options.repository(repoId);
        // Another process may have registered it: heard of in a moment.
        if (!repository) continue;
        for (const id of jobIds) asked.add(id);
        options.proofs.start(repository).catch(options.onProblem);
      }
    },
  };
}
