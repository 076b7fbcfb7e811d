import type { Cause } from '../../shared/cause.ts';
import type { AdmissionJob } from './admission-conflicts.ts';
import type { Caps } from './admission-types.ts';
import { seatsTaken } from './seats.ts';

type CapCause = Cause & { code: 'cap' };

/** How many jobs run, by what they do. */
class Tally {
  #atWork = 0;
  #waiting = 0;

  clear(): void {
    this.#atWork = 0;
    this.#waiting = 0;
  }

  count({ waitsToMerge }: AdmissionJob, step: 1 | -1): void {
    if (waitsToMerge) this.#waiting += step;
    else this.#atWork += step;
  }

  isFull(limit: number): boolean {
    return seatsTaken(this.#atWork, this.#waiting, limit) >= limit;
  }
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const known = tallies.get(name);
  if (known) return known;
  const made = new Tally();
  tallies.set(name, made);
  return made;
}

/** How many jobs run, and which caps have no room left for another one. */
export class CapBook {
  #caps: Caps;
  readonly #all = new Tally();
  readonly #ofRepos = new Map<string, Tally>();
  readonly #ofUsers = new Map<string, Tally>();
  /** One object for each cap and limit, so that telling it again costs nothing; the one told last is mostly asked for. */
  readonly #causes = new Map<string, CapCause>();
  #last: CapCause | undefined;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /** True where they differ from those before. */
  set(caps: Caps): boolean {
    if (JSON.stringify(caps) === JSON.stringify(this.#caps)) return false;
    this.#caps = caps;
    return true;
  }

  get countsUsers(): boolean {
    return this.#caps.user !== undefined;
  }

  /** Nobody runs. */
  clear(): void {
    for (const tally of [this.#all, ...this.#ofRepos.values(), ...this.#ofUsers.values()]) tally.clear();
  }

  count(job: AdmissionJob, step: 1 | -1): void {
    const { user, repoId } = job;
    this.#all.count(job, step);
    tallyOf(this.#ofRepos, repoId).count(job, step);
    if (user !== undefined) tallyOf(this.#ofUsers, user).count(job, step);
  }

  isMachineFull(): boolean {
    return this.#all.isFull(this.#caps.machine);
  }

  isRepoFull({ repoId }: AdmissionJob): boolean {
    return this.#ofRepos.get(repoId)?.isFull(this.#limitOf(repoId)) ?? this.#limitOf(repoId) <= 0;
  }

  isUserFull({ user }: AdmissionJob): boolean {
    const { user: limit } = this.#caps;
    if (limit === undefined || user === undefined) return false;
    return this.#ofUsers.get(user)?.isFull(limit) ?? limit <= 0;
  }

  hasRoomFor(job: AdmissionJob): boolean {
    return !this.isMachineFull() && !this.isRepoFull(job) && !this.isUserFull(job);
  }

  /** Which cap holds a job that lacks nothing else. */
  causeOf(job: AdmissionJob): Cause {
    const scope = this.isMachineFull() ? 'machine' : this.isRepoFull(job) ? 'repository' : 'user';
    const limit =
      scope === 'machine'
        ? this.#caps.machine
        : scope === 'repository'
          ? this.#limitOf(job.repoId)
          : (this.#caps.user ?? 0);
    if (this.#last?.scope === scope && this.#last.limit === limit) return this.#last;
    const name = `${scope} ${limit}`;
    const cause: CapCause = this.#causes.get(name) ?? { code: 'cap', scope, limit };
    this.#causes.set(name, cause);
    this.#last = cause;
    return cause;
  }

  #limitOf(repoId: string): number {
    return Math.min(this.#caps.repository, this.#caps.repositories?.[repoId] ?? Number.POSITIVE_INFINITY);
  }
}
