import { statfs } from 'node:fs/promises';
import type { Cause } from '../../../shared/cause.ts';
import type { Job, Repository } from '../../../shared/domain.ts';
import { resolveCommit } from '../../git/git.ts';
import { refusalMark } from '../../landing/refusal-mark.ts';
import { checkoutsOf, filesInTheWay, workOf } from '../../landing/user-checkout.ts';
import type { JobPorts } from '../ports.ts';

/** A full disk has room again from here on; a slot needs some. */
const ROOM_BYTES = 256 * 1024 * 1024;

/** What holds a job now: `gone`, or the cause as it is true now. */
export type Found = 'gone' | Cause;

/** What many jobs of one round have in common is looked at once. */
export class LookRound {
  readonly #seen = new Map<string, Promise<unknown>>();

  once<T>(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#seen.get(key) as Promise<T> | undefined;
    if (known) return known;
    const found = look();
    this.#seen.set(key, found);
    return found;
  }
}

/** Looks at what holds a job that goes on by itself. Throws where it cannot be looked at now. */
export async function lookAgain(
  job: Job,
  repository: Repository,
  ports: Pick<JobPorts, 'pool'>,
  round: LookRound,
): Promise<Found> {
  const { cause, base } = job;
  switch (cause?.code) {
    case 'uncommitted-work':
      return uncommittedWork(job, repository, ports, round);
    case 'merge-refused': {
      const seen = await round.once(`mark ${repository.id} ${base}`, () => refusalMark(repository, base));
      return seen === cause.seen ? cause : 'gone';
    }
    case 'base-missing': {
      const names = [`refs/heads/${base}`, `refs/remotes/${base}`];
      const found = await Promise.all(names.map((name) => resolveCommit(repository.path, name)));
      return found.some((commit) => commit !== undefined) ? 'gone' : cause;
    }
    case 'base-red': {
      const tip = await resolveCommit(repository.path, `refs/heads/${base}`);
      // A base that is gone says so itself.
      return tip === cause.commit ? cause : 'gone';
    }
    case 'disk-full': {
      const { bavail, bsize } = await statfs(cause.path);
      return bavail * bsize >= ROOM_BYTES ? 'gone' : cause;
    }
    default:
      return 'gone';
  }
}

/** As `land` would find it: it has the last word. */
async function uncommittedWork(
  { base, work }: Job,
  repository: Repository,
  ports: Pick<JobPorts, 'pool'>,
  round: LookRound,
): Promise<Found> {
  const checkouts = await round.once(`checkouts ${repository.id} ${base}`, () =>
    checkoutsOf(repository.path, base),
  );
  const [checkout] = checkouts;
  if (!checkout || checkouts.length > 1 || !work) return 'gone';
  const [theirs, inTheWay] = await Promise.all([
    round.once(`work ${checkout.path}`, () => workOf(checkout)),
    // Saved work is in the mirror, and so is the commit that it began from.
    filesInTheWay(checkout.path, {
      slotPath: ports.pool.mirror(repository).path,
      from: work.base,
      commit: work.head,
    }),
  ]);
  const files = [...new Set([...theirs, ...inTheWay])];
  return files.length === 0 ? 'gone' : { code: 'uncommitted-work', path: checkout.path, files };
}
