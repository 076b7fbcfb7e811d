import { ENDED_STATES, type Job } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/time.ts';

/** Where nothing has ended yet and nothing runs, nothing can be computed. */
const UNKNOWN_MS = MINUTE_MS;
const LONGEST_MS = 24 * HOUR_MS;

type Seen = Pick<Job, 'state' | 'startedAt' | 'endedAt'>;

/** Milliseconds between two jobs that end, as it really went in the last hour; undefined: nothing ran. */
function pace(jobs: readonly Seen[], nowMs: number): number | undefined {
  const ended = jobs.filter(
    (job) =>
      ENDED_STATES.includes(job.state) && job.startedAt !== undefined && (job.endedAt ?? 0) > nowMs - HOUR_MS,
  );
  if (ended.length > 0) {
    const since = Math.min(...ended.map((job) => job.startedAt ?? nowMs));
    return Math.max(0, nowMs - Math.max(since, nowMs - HOUR_MS)) / ended.length;
  }
  // None has ended yet: those that run take at least as long as they have run.
  const running = jobs.flatMap((job) =>
    job.state === 'running' && job.startedAt !== undefined ? Math.max(0, nowMs - job.startedAt) : [],
  );
  if (running.length === 0) return undefined;
  return running.reduce((sum, ms) => sum + ms, 0) / running.length / running.length;
}

/**
 * When so many places of the queue will be free, from the throughput of the last hour. Between a second and a day.
 */
export function retryAfterMs(jobs: readonly Seen[], places: number, nowMs: number): number {
  const expected = (pace(jobs, nowMs) ?? UNKNOWN_MS / Math.max(1, places)) * places;
  return Math.round(Math.min(LONGEST_MS, Math.max(SECOND_MS, expected)));
}

/** In words, for people: `40 s`, `12 min`, `3 h`. */
function inWords(ms: number): string {
  if (ms < 90 * SECOND_MS) return `${Math.ceil(ms / SECOND_MS)} s`;
  if (ms < 90 * MINUTE_MS) return `${Math.ceil(ms / MINUTE_MS)} min`;
  return `${Math.ceil(ms / HOUR_MS)} h`;
}

/** The refusal of a submission that the queue has no room for; undefined: it has. */
export function queueRefusal(
  queue: { jobs: readonly Seen[]; queued: number; limit: number },
  adding: number,
  nowMs: number,
): HeadwayError | undefined {
  const over = queue.queued + adding - queue.limit;
  if (adding === 0 || over <= 0) return undefined;
  if (adding > queue.limit) {
    return new HeadwayError(
      'bad-input',
      `These are ${adding} new tickets, and the queue takes ${queue.limit} at most. Submit fewer at once, or raise maxQueued.`,
    );
  }
  const waitMs = retryAfterMs(queue.jobs, over, nowMs);
  return new HeadwayError(
    'busy',
    `The queue is full: ${queue.queued} jobs wait, ${queue.limit} may (setting maxQueued), and ${adding} would join. Nothing was taken. Try again in about ${inWords(waitMs)}.`,
    { data: { retryAfterMs: waitMs, queued: queue.queued, limit: queue.limit } },
  );
}
