import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Scratch } from '../../../testing/scratch.ts';

/** The built program, as it ships: it starts in a quarter of the time that its sources take. */
export const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', '..', 'bin', 'headway.mjs');

export type JobLine = {
  type: 'job';
  job: string;
  ticket: string;
  state: string;
  stage: string | null;
  reason: string | null;
  cause: { code: string } | null;
  at: number;
};
export type SummaryJob = Omit<JobLine, 'type' | 'at'> & {
  verdict: string | null;
  attempts: number;
  branch: string | null;
  commit: string | null;
  files: string[];
  strayed: string[];
  stages: Record<string, number>;
};
export type Line =
  | JobLine
  | { type: 'summary'; jobs: SummaryJob[] }
  | { type: string; [key: string]: unknown };

export type Finished = {
  exit: number | null;
  lines: Line[];
  jobs: JobLine[];
  /** By ticket. */
  summary: Record<string, SummaryJob>;
  error: { code: string; message: string } | undefined;
  stderr: string;
};

export interface Running {
  child: ChildProcess;
  /** Settles with the first line that fits; rejects when the command ends without one. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  finished: Promise<Finished>;
}

/** A place of its own for one test: a data directory and repositories, all removed at the end. */
export class Place extends Scratch {
  /** Added to the environment of every command. */
  readonly env: Record<string, string> = {};
  readonly #running = new Set<ChildProcess>();

  constructor() {
    super('headway-cli');
  }

  start(...args: string[]): Running {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
      cwd: this.root,
      env: { ...process.env, HEADWAY_HOME: this.home, NODE_OPTIONS: '', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    const lines: Line[] = [];
    const watchers = new Set<{
      fits(line: Line): boolean;
      resolve(line: Line): void;
      reject(error: Error): void;
    }>();
    let stderr = '';
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString('utf8');
    });
    const reader = createInterface({ input: child.stdout });
    reader.on('line', (text) => {
      const line = JSON.parse(text) as Line;
      lines.push(line);
      for (const watcher of watchers) {
        if (!watcher.fits(line)) continue;
        watchers.delete(watcher);
        watcher.resolve(line);
      }
    });
    const finished = Promise.all([once(child, 'close'), once(reader, 'close')]).then(([[exit]]): Finished => {
      this.#running.delete(child);
      for (const watcher of watchers)
        watcher.reject(new Error(`headway ended without that line:\n${stderr}`));
      const last = lines.findLast((line) => line.type === 'summary') as { jobs: SummaryJob[] } | undefined;
      return {
        exit: exit as number | null,
        lines,
        jobs: lines.filter((line): line is JobLine => line.type === 'job'),
        summary: Object.fromEntries((last?.jobs ?? []).map((job) => [job.ticket, job])),
        error: lines.find((line) => line.type === 'error') as Finished['error'],
        stderr,
      };
    });
    return {
      child,
      finished,
      line(fits) {
        const seen = lines.find(fits);
        if (seen) return Promise.resolve(seen);
        const { promise, resolve, reject } = Promise.withResolvers<Line>();
        watchers.add({ fits, resolve, reject });
        return promise;
      },
    };
  }

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).finished;
  }

  /** `headway serve` on a free port, asked over HTTP. */
  async serve(): Promise<{
    ask(name: string, params?: unknown): Promise<Response>;
    running: Running;
    stop(): Promise<Finished>;
  }> {
    const running = this.start('serve', '--port', '0');
    const { url } = (await running.line((line) => line.type === 'serving')) as unknown as { url: string };
    const { origin, searchParams } = new URL(url);
    return {
      running,
      ask: (name, params = {}) =>
        fetch(`${origin}/api/requests/${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${searchParams.get('token')}` },
          body: JSON.stringify(params),
        }),
      stop() {
        running.child.kill('SIGTERM');
        return running.finished;
      },
    };
  }

  /** One ticket a file; returns the folder. */
  tickets(name: string, tickets: Record<string, string>): string {
    for (const [id, text] of Object.entries(tickets)) this.write(join(name, `${id}.md`), text);
    return join(this.root, name);
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    this.remove();
  }
}

/** A ticket for the scripted agent. */
export function scripted(
  frontMatter: Record<string, unknown>,
  steps: readonly unknown[],
  text = 'Do it.',
): string {
  const head = Object.entries(frontMatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const body = steps.map((step) => `- ${JSON.stringify(step)}`);
  return `---\nagent: scripted\n${head.join('\n')}\n---\n${text}\n\n\`\`\`headway\n${body.join('\n')}\n\`\`\`\n`;
}
