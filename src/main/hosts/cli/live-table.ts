import type { Job } from '../../../shared/domain.ts';
import { formatDuration } from '../../../shared/time.ts';
import { jobCells } from './job-lines.ts';
import { table } from './output.ts';

const REDRAW_MS = 250;

/** Shows jobs as they change: a table that redraws itself on a terminal, else one line a change. */
export interface LiveTable {
  show(job: Job): void;
  /** A line that stays above the table. */
  note(text: string): void;
  /** Takes the table away; what was noted stays. */
  close(): void;
}

export function createLiveTable(stream: NodeJS.WriteStream): LiveTable {
  return stream.isTTY && process.env.TERM !== 'dumb' ? redrawing(stream) : lines(stream);
}

function lines(stream: NodeJS.WriteStream): LiveTable {
  const last = new Map<string, string>();
  return {
    show(job) {
      const [ticket, where, reason] = jobCells(job);
      const text = `${ticket}  ${where}${reason === '' ? '' : `  ${reason}`}`;
      if (last.get(job.id) === text) return;
      last.set(job.id, text);
      stream.write(`${text}\n`);
    },
    note: (text) => void stream.write(`${text}\n`),
    close() {},
  };
}

/** What a person looks for first. */
const PLACES: Record<Job['state'], number> = {
  running: 0,
  held: 1,
  failed: 2,
  cancelled: 2,
  queued: 3,
  merged: 4,
};

const counts = (jobs: readonly Job[]): string =>
  (['running', 'held', 'failed', 'cancelled', 'queued', 'merged'] as const)
    .map((state) => [state, jobs.filter((job) => job.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

function row(job: Job, now: number): string[] {
  const [ticket, where, reason] = jobCells(job);
  const since = job.state === 'running' ? (job.startedAt ?? now) : job.queuedAt;
  const time = job.state === 'running' || job.state === 'queued' ? formatDuration(now - since) : '';
  return [ticket, where, time, reason];
}

/**
 * Pure: the lines of the table, not more than `height`. Where not all fit, what runs and what needs a person comes first,
 * what has merged last; the line below says what there is in all.
 */
export function tableLines(jobs: readonly Job[], height: number, now: number): string[] {
  if (jobs.length === 0) return [];
  if (jobs.length < height) return [...table(jobs.map((job) => row(job, now))).split('\n'), counts(jobs)];
  const sorted = jobs.toSorted((a, b) => PLACES[a.state] - PLACES[b.state]);
  const shown = sorted.slice(0, Math.max(1, height - 1));
  return [
    ...table(shown.map((job) => row(job, now))).split('\n'),
    `${counts(jobs)}; ${jobs.length - shown.length} not shown`,
  ].slice(0, Math.max(1, height));
}

function redrawing(stream: NodeJS.WriteStream): LiveTable {
  const jobs = new Map<string, Job>();
  let drawn = 0;
  /** To the table's first line, with nothing left of it. */
  const above = (): string => `${drawn > 0 ? `\x1b[${drawn}A` : ''}\x1b[J`;
  const draw = (note = ''): void => {
    // A line of its own for the cursor; the terminal's size may be unknown.
    const text = tableLines([...jobs.values()], (stream.rows || 24) - 1, Date.now());
    // Without wrapping: a line too long is cut by the terminal itself, also where characters are wide.
    stream.write(`\x1b[?7l${above()}${note}${text.map((line) => `${line}\n`).join('')}\x1b[?7h`);
    drawn = text.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    show(job) {
      jobs.set(job.id, job);
    },
    note: (text) => draw(`${text}\n`),
    close() {
      clearInterval(timer);
      stream.write(above());
      drawn = 0;
    },
  };
}
