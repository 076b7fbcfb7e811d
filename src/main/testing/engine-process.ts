/*
 * An engine in a process of its own, for tests that stop, kill or starve it: node engine-process.ts OPTIONS (one JSON).
 * Takes the tickets, prints what happens as JSON lines, and ends when all of them are at rest.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { openEngine } from '../engine/engine.ts';
import { jobsOfEvent } from '../engine/job-events.ts';
import type { HeldTiming } from '../jobs/held/watch-held.ts';
import type { LookTiming } from '../jobs/pull-requests/watch-pull-requests.ts';
import { submitTickets } from '../jobs/submission/submission.ts';
import type { RunnerTiming } from '../runners/runner.ts';
import type { Home } from '../settings/home.ts';
import { readTicketFiles } from '../tickets/read-ticket-files.ts';

export type EngineProcessOptions = {
  home: Home;
  repo: string;
  tickets: string;
  gate: string;
  timing?: RunnerTiming;
  maxJobs?: number;
  pullRequestLooks?: LookTiming;
  heldLooks?: HeldTiming;
  /** Stays until SIGTERM, as a host does, whatever becomes of its jobs. */
  stays?: boolean;
};

const print = (line: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function main(options: EngineProcessOptions): Promise<void> {
  const engine = await openEngine({
    home: options.home,
    ...(options.timing ? { timing: options.timing } : {}),
    ...(options.pullRequestLooks ? { pullRequestLooks: options.pullRequestLooks } : {}),
    ...(options.heldLooks ? { heldLooks: options.heldLooks } : {}),
    ...(options.maxJobs === undefined ? {} : { overrides: { maxJobs: options.maxJobs } }),
    onProblem: (error) => print({ type: 'problem', text: error.message }),
  });
  const { repositories, submissionPorts, scheduler, bus } = engine.parts;
  bus.listen((event) => {
    for (const { id, ticket, state, stage, attempts, cause } of jobsOfEvent(event, (job) =>
      scheduler.job(job),
    )) {
      print({
        type: 'job',
        job: id,
        ticket: ticket.id,
        state,
        stage: stage ?? null,
        attempts,
        cause: cause?.code ?? null,
      });
    }
  });
  const delays = watchEventLoop();
  const added = await repositories.add(options.repo);
  const repository = await repositories.trust(added, added.trustedHash ?? '');
  const { jobs } = await submitTickets(
    {
      repository,
      files: await readTicketFiles(options.tickets),
      gate: [options.gate],
      batchId: 'test',
    },
    submissionPorts,
  );
  await scheduler.poke();
  if (options.stays) await once(process, 'SIGTERM');
  else await scheduler.drained((job) => jobs.some(({ id }) => id === job.id));
  await engine.stop();
  print({ type: 'end', longestBlockMs: delays(), integrity: integrityOf(options.home.database) });
}

function integrityOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.pragma('integrity_check', { simple: true });
  } finally {
    db.close();
  }
}

/** The longest time for which nothing else could happen in this process. */
function watchEventLoop(): () => number {
  const EVERY_MS = 10;
  let longestMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - EVERY_MS);
    lastMs = nowMs;
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
}

const { positionals } = parseArgs({ allowPositionals: true });
await main(JSON.parse(positionals[0] ?? '{}') as EngineProcessOptions);
