import type { Cause } from '../../shared/cause.ts';
import { type Claim, ENDED_STATES, type Job } from '../../shared/domain.ts';
import type { AdmissionEntry } from './admission.ts';
import { waitsToMerge } from './seats.ts';

/** The jobs that this process knows, as the store had them last. */
export class JobBook {
  readonly #jobs = new Map<string, Job>();
  /** The newest job of each ticket: what a dependency means. */
  readonly #newest = new Map<string, Job>();

  get(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  all(): Iterable<Job> {
    return this.#jobs.values();
  }

  /**
   * Takes rows that changed. Returns the job whose end is all that happened, if so: what it held may then be judged
   * alone.
   */
  take(changed: readonly Job[]): Job | undefined {
    let ended: Job | undefined;
    for (const job of changed) {
      const known = this.#jobs.get(job.id);
      if (changed.length === 1 && known?.state === 'running' && ENDED_STATES.includes(job.state)) ended = job;
      // A queued job's cause is derived at each pass and not stored: keep the one that was shown.
      const isStillQueued = job.state === 'queued' && known?.state === 'queued';
      this.#remember(isStillQueued ? { ...job, cause: known.cause } : job);
    }
    return ended;
  }

  /** The job with this cause; undefined where it had it already. */
  explain(job: Job, cause: Cause): Job | undefined {
    if (job.cause === cause || JSON.stringify(job.cause) === JSON.stringify(cause)) return undefined;
    const explained = { ...job, cause };
    this.#remember(explained);
    return explained;
  }

  /** What admission has to know of a job. */
  entryOf(job: Job, notBeforeAt: number | undefined, account: string | undefined): AdmissionEntry {
    const ids = (tickets: readonly string[]): string[] =>
      tickets.flatMap((ticket) => this.#newest.get(`${job.repoId} ${ticket}`)?.id ?? []);
    return {
      id: job.id,
      ticketId: job.ticket.id,
      repoId: job.repoId,
      ...(job.user === undefined ? {} : { user: job.user }),
      claim: effectiveClaim(job),
      waitsToMerge: waitsToMerge(job),
      priority: job.ticket.priority,
      order: job.order,
      queuedAt: job.queuedAt,
      dependsOn: ids(job.ticket.dependsOn),
      related: ids(job.ticket.related),
      state: job.state,
      ...(notBeforeAt === undefined ? {} : { notBeforeAt }),
      ...(job.cause?.code === 'backoff' ? { notBeforeWhy: job.cause.why } : {}),
      account,
    };
  }

  #remember(job: Job): void {
    this.#jobs.set(job.id, job);
    const name = `${job.repoId} ${job.ticket.id}`;
    const known = this.#newest.get(name);
    if (!known || known.order <= job.order) this.#newest.set(name, job);
  }
}

/** What a job may touch while others are judged: its claim, and what its last attempt really changed. */
function effectiveClaim(job: Job): Claim {
  if (job.claim.kind === 'everything' || job.files.length === 0) return job.claim;
  return { kind: 'paths', paths: [...new Set([...job.claim.paths, ...job.files])], from: 'changed' };
}
