import type { Cause } from '../../shared/cause.ts';
import type { AdmissionJob } from './admission-conflicts.ts';
import type { Caps } from './admission-types.ts';

type CapCause = Cause & { code: 'cap' };

/** How many jobs run, and which caps have no room left for another one. */
export class CapBook {
  #caps: Caps;
  #running = 0;
  readonly #runningOf = new Map<string, number>();
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
    this.#running = 0;
    this.#runningOf.clear();
  }

  count({ user }: AdmissionJob, step: 1 | -1): void {
    this.#running += step;
    if (user !== undefined) this.#runningOf.set(user, (this.#runningOf.get(user) ?? 0) + step);
  }

  isMachineFull(): boolean {
    return this.#running >= this.#caps.machine;
  }

  isRepoFull({ repo, repoId }: AdmissionJob): boolean {
    return repo.runningJobs.size >= this.#limitOf(repoId);
  }

  isUserFull({ user }: AdmissionJob): boolean {
    const { user: limit } = this.#caps;
    return limit !== undefined && user !== undefined && (this.#runningOf.get(user) ?? 0) >= limit;
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
