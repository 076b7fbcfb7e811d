import { ENDED_STATES, JOB_STATES, type Job, jobSchema } from '../../../shared/domain.ts';
import { problemOf } from './unreadable.ts';

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

/** True for what stands in for a job whose row cannot be read. No such cause is ever stored. */
export const isUnreadable = (job: Job): boolean => job.cause?.code === 'unreadable';

function parse(row: Row): Job {
  const columns = {
    id: row.id,
    repoId: row.repo_id,
    state: row.state,
    attempts: row.attempts,
    order: row.place,
    seq: row.seq,
  };
  let stored: unknown;
  try {
    stored = JSON.parse(String(row.data));
  } catch {
    return standIn(row, undefined, 'it is no JSON');
  }
  const parsed = jobSchema.safeParse({ ...(stored as object), ...columns });
  return parsed.success ? parsed.data : standIn(row, stored, problemOf(parsed.error));
}

/** One bad row is one bad job: it waits for a person, with what can still be told of it, and keeps nobody from the others. */
function standIn(row: Row, stored: unknown, why: string): Job {
  const id = String(row.id);
  const ticket = (stored as { ticket?: { id?: unknown; title?: unknown } } | null | undefined)?.ticket;
  const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
  const state = JOB_STATES.find((each) => each === row.state) ?? 'held';
  return {
    id,
    repoId: String(row.repo_id),
    ticket: {
      id: text(ticket?.id, id),
      title: text(ticket?.title, id),
      text: '',
      dependsOn: [],
      related: [],
      priority: 'batch',
    },
    claim: { kind: 'everything', why: 'its record cannot be read' },
    agent: 'unknown',
    base: 'unknown',
    order: Number(row.place),
    batchId: 'unknown',
    state: ENDED_STATES.includes(state) ? state : 'held',
    cause: { code: 'unreadable', why },
    attempts: Number(row.attempts),
    files: [],
    strayed: [],
    stages: {},
    createdAt: 0,
    queuedAt: 0,
    queuedMs: 0,
    seq: Number(row.seq),
  };
}

/**
 * Reads rows as unknown data, each content once: a row that is the same to the letter as one that was read or written
 * before is the same job. What is compared is the content, so a change that was rolled back does no harm.
 */
export class JobRows {
  readonly #known = new Map<string, { row: Row; job: Job }>();

  read(row: Row): Job {
    const known = this.#known.get(String(row.id));
    if (
      known &&
      known.row.data === row.data &&
      known.row.seq === row.seq &&
      known.row.state === row.state &&
      known.row.attempts === row.attempts
    ) {
      return known.job;
    }
    const job = parse(row);
    this.#keep(job, row);
    return job;
  }

  remember(job: Job, data: string): void {
    this.#keep(job, { data, seq: job.seq, state: job.state, attempts: job.attempts });
  }

  #keep(job: Job, row: Row): void {
    this.#known.delete(job.id);
    this.#known.set(job.id, { row, job });
    if (this.#known.size <= REMEMBERED) return;
    const oldest = this.#known.keys().next();
    if (!oldest.done) this.#known.delete(oldest.value);
  }
}
