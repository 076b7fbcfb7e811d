import { type Job, jobSchema } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';

type Row = Record<string, unknown>;

/** Rows that were read or written last: enough for all that run and those just looked at. */
const REMEMBERED = 512;

/** What is in columns is not repeated in the row's JSON. */
export function jobData(job: Job): string {
  const {
    id: _id,
    repoId: _repo,
    state: _state,
    attempts: _attempts,
    order: _order,
    seq: _seq,
    ...data
  } = job;
  return JSON.stringify(data);
}

function parse(row: Row): Job {
  const stored: unknown = JSON.parse(String(row.data));
  const parsed = jobSchema.safeParse({
    ...(stored as object),
    id: row.id,
    repoId: row.repo_id,
    state: row.state,
    attempts: row.attempts,
    order: row.place,
    seq: row.seq,
  });
  if (parsed.success) return parsed.data;
  throw new HeadwayError(
    'internal',
    `job ${String(row.id)} cannot be read: ${parsed.error.issues[0]?.message}`,
  );
}

/**
 * Reads rows as unknown data, each content once: a row that is the same to the letter as one that was read or written
 * before is the same job. What is compared is the content, so a change that was rolled back does no harm.
 */
export class JobRows {
  readonly #known = new Map<string, { data: string; job: Job }>();

  read(row: Row): Job {
    const known = this.#known.get(String(row.id));
    if (
      known &&
      known.data === row.data &&
      known.job.seq === row.seq &&
      known.job.state === row.state &&
      known.job.attempts === row.attempts
    ) {
      return known.job;
    }
    const job = parse(row);
    this.remember(job, String(row.data));
    return job;
  }

  remember(job: Job, data: string): void {
    this.#known.delete(job.id);
    this.#known.set(job.id, { data, job });
    if (this.#known.size <= REMEMBERED) return;
    const oldest = this.#known.keys().next();
    if (!oldest.done) this.#known.delete(oldest.value);
  }
}
