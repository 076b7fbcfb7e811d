import type { Landing } from '../../landing/foreign-commits.ts';
import type { JobPorts } from '../ports.ts';

/** Where the store stood, to ask later what was landed since. */
export type Mark = { seq: number };

export const markLandings = async (ports: Pick<JobPorts, 'store'>): Promise<Mark> => ({
  seq: await ports.store.seq(),
});

/**
 * What Headway landed since the mark, in any process: the intent is written before a base moves, and its job changes at the
 * latest when it ends. One that has landed and is not settled yet is among the open ones.
 */
export async function landingsSince(
  { seq }: Mark,
  ports: Pick<JobPorts, 'store' | 'inFlight'>,
  job: Parameters<JobPorts['inFlight']>[0],
): Promise<Landing[]> {
  const changed = (await ports.store.jobs.changedSince(seq)).filter(({ repoId }) => repoId === job.repoId);
  const ids = new Set([job.id, ...[...changed, ...ports.inFlight(job)].map(({ id }) => id)]);
  const effects = [...(await ports.store.effects.open())];
  for (const id of ids) effects.push(...(await ports.store.effects.ofJob(id)));
  return effects.flatMap(({ kind, data }) =>
    kind === 'merge' && typeof data.expected === 'string' && typeof data.commit === 'string'
      ? [{ from: data.expected, to: data.commit }]
      : [],
  );
}
