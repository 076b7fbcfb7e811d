import type { Job } from '../../../shared/domain.ts';
import { claimsOverlap } from '../../scheduling/claims.ts';

/** What of a running job decides about the order of merging. */
export type Straying = Pick<Job, 'id' | 'order' | 'claim' | 'strayed' | 'slotId'>;

/** Did `job` write into what `owner` claims? */
const strayedInto = (job: Straying, owner: Straying): boolean =>
  job.strayed.length > 0 &&
  claimsOverlap(owner.claim, { kind: 'paths', paths: job.strayed, from: 'changed' }) !== undefined;

/** Everything that `from` waits for, directly or through others. */
function reachable<T extends Straying>(from: T, jobs: readonly T[]): Set<T> {
  const seen = new Set<T>();
  const open: T[] = [from];
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    for (const owner of jobs) {
      if (owner.id === job.id || seen.has(owner) || !strayedInto(job, owner)) continue;
      seen.add(owner);
      open.push(owner);
    }
  }
  return seen;
}

/**
 * Which running job merges before this one, because this one wrote into its paths: who claimed them goes first, and
 * the other is verified again on top. Among jobs that strayed into each other, in a ring of any length, the earliest
 * submitted one does not wait for the rest, so that somebody always goes on. A job without a slot is not waited for: it
 * may need the one that is held here.
 */
export function mergesBefore<T extends Straying>(job: T, running: readonly T[]): T | undefined {
  const others = running.filter((other) => other.id !== job.id && other.slotId !== undefined);
  const all = [job, ...others];
  for (const owner of others) {
    if (!strayedInto(job, owner)) continue;
    const ring = ringOf(job, all);
    const first = !ring.some((member) => member.order < job.order);
    if (first && ring.includes(owner)) continue;
    return owner;
  }
  return undefined;
}

/** The jobs that wait for this one and that this one waits for. */
function ringOf<T extends Straying>(job: T, all: readonly T[]): T[] {
  return [...reachable(job, all)].filter((other) => other !== job && reachable(other, all).has(job));
}
