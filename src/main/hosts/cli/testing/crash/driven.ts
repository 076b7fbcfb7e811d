import type { ChildProcess } from 'node:child_process';
import { resolveHome } from '../../../../settings/home.ts';
import { startEngineProcess } from '../../../../testing/start-engine-process.ts';
import type { Line, Place, Running } from '../headway.ts';

/** A run as the crash test drives it. */
export interface Driven {
  child: ChildProcess;
  line(fits: (line: Line) => boolean): Promise<Line>;
  finished: Promise<{
    exit: number | null;
    stderr: string;
    /** The error that ended it. */
    error?: { code: string; message: string } | undefined;
    jobs: readonly { job: string; state: string }[];
  }>;
}

export type Work = { repo: string; folder: string; gate: string };

/** As a person starts it. */
export const driveCommand = (place: Place, { repo, folder, gate }: Work): Running =>
  place.start('run', '--repo', repo, '--tickets', folder, '--gate', gate, '--max', '4');

/** The same engine with a shorter silence after which it counts as hung. */
export function driveEngine(place: Place, { repo, folder, gate }: Work): Driven {
  const engine = startEngineProcess({
    home: resolveHome({ HEADWAY_HOME: place.home }),
    repo,
    tickets: folder,
    gate,
    timing: { heartbeatMs: 200, hungAfterMs: 3_000 },
    env: place.env,
  });
  return {
    child: engine.child,
    line: async (fits) => (await engine.said((line) => fits(line as Line))) as Line,
    finished: engine.ended.then(({ exit, stderr }) => ({
      exit,
      stderr,
      jobs: engine.lines.flatMap(({ type, job, state }) =>
        type === 'job' ? { job: String(job), state: String(state) } : [],
      ),
    })),
  };
}
