import type { Job } from '../../../shared/domain.ts';
import { formatDuration } from '../../../shared/time.ts';
import { jobCells } from './job-lines.ts';
import { table } from './output.ts';

const REDRAW_MS = 250;

/** Shows jobs as they change: a table that redraws itself on a terminal, else one line a change. */
export interface LiveTable {
  show(job: Job): void;
  close(): void;
}

export function createLiveTable(stream: NodeJS.WriteStream): LiveTable {
  return stream.isTTY ? redrawing(stream) : lines(stream);
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
    close() {},
  };
}

function redrawing(stream: NodeJS.WriteStream): LiveTable {
  const jobs = new Map<string, Job>();
  let drawn = 0;
  const draw = (): void => {
    const now = Date.now();
    const rows = [...jobs.values()].map((job) => {
      const [ticket, where, reason] = jobCells(job);
      const since = job.state === 'running' ? (job.startedAt ?? now) : job.queuedAt;
      const time = job.state === 'running' || job.state === 'queued' ? formatDuration(now - since) : '';
      return [ticket, where, time, reason];
    });
    const width = Math.max(20, stream.columns);
    const text = table(rows)
      .split('\n')
      .slice(0, Math.max(1, stream.rows - 1))
      .map((line) => (line.length < width ? line : `${line.slice(0, width - 2)}…`));
    stream.write(`${drawn > 0 ? `\x1b[${drawn}A` : ''}${text.map((line) => `\x1b[2K${line}\n`).join('')}`);
    drawn = text.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    show(job) {
      jobs.set(job.id, job);
    },
    close() {
      clearInterval(timer);
      draw();
    },
  };
}
