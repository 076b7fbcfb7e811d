import { randomUUID } from 'node:crypto';
import { explainCause, explainJob } from '../../../shared/cause.ts';
import type { Attempt, Job, Repository, Settings } from '../../../shared/domain.ts';
import { formatDuration } from '../../../shared/time.ts';
import { type Engine, openEngine } from '../../engine/engine.ts';
import { jobsOfEvent } from '../../engine/job-events.ts';
import { readUserPolicy } from '../../gate/policy/user-policy.ts';
import { goesOnByItself } from '../../jobs/held/outside-causes.ts';
import { submitTickets } from '../../jobs/submission/submission.ts';
import { identify } from '../../repositories/identify.ts';
import { inspect } from '../../repositories/inspect.ts';
import { readTicketFiles } from '../../tickets/read-ticket-files.ts';
import { EXIT } from './exit-codes.ts';
import { jobCells, jobEvent, jobSummary } from './job-lines.ts';
import { createLiveTable } from './live-table.ts';
import { type Output, problemLines, table } from './output.ts';

export type RunOptions = {
  repo: string;
  tickets: string;
  agent?: string;
  max?: number;
  gate?: string[];
  base?: string;
  trust?: boolean;
  /** False: ends also while a held job can go on by itself. */
  wait?: boolean;
};

/** `headway run`: takes tickets, runs them, drains, reports. Bad input is found before anything starts. */
export async function runCommand(options: RunOptions, output: Output, signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  const place = await identify(options.repo);
  const files = await readTicketFiles(options.tickets);
  const caps: Partial<Settings> =
    options.max === undefined ? {} : { maxJobs: options.max, maxJobsPerRepository: options.max };
  const problems = problemLines();
  let accepted = false;
  const engine = await openEngine({
    overrides: caps,
    // Leftovers of a run that was ended go on with it; other repositories are none of this run's business.
    onlyRepoId: place.id,
    holdsBack: () => !accepted,
    onProblem: (error) => problems.say(error.message),
  });
  try {
    for (const note of place.notes) output.say(`note: ${note}`);
    const { scheduler, repositories, bus } = engine.parts;
    const repository = await repositories.add(options.repo, options.base);
    const trust = await agree(engine, repository, options, output);
    const { jobs: submitted, notes } = await submitTickets(
      {
        repository,
        files,
        batchId: `b-${randomUUID().slice(0, 8)}`,
        ...(options.agent === undefined ? {} : { agent: options.agent }),
        ...(options.gate ? { gate: options.gate } : {}),
        ...(options.base === undefined ? {} : { base: options.base }),
        ...(trust === undefined ? {} : { trust }),
      },
      engine.parts.submissionPorts,
    );
    for (const text of notes) {
      output.say(`note: ${text}`);
      output.data({ type: 'note', text });
    }
    const mine = new Set(submitted.map((job) => job.id));
    const show = follow(mine, output);
    problems.through(show.note);
    for (const job of submitted) {
      // A job that was known may have been judged already, and nobody tells its reason twice.
      const judged = scheduler.job(job.id);
      show.job(judged && judged.seq >= job.seq ? judged : job);
    }
    const stop = bus.listen((event) => {
      for (const job of jobsOfEvent(event, (jobId) => scheduler.job(jobId))) show.job(job);
    });
    accepted = true;
    const interrupted = await drainOrStop(
      scheduler.drained(
        (job) => mine.has(job.id),
        options.wait === false
          ? undefined
          : { stays: goesOnByItself, onStay: (held) => sayWaiting(held, output, show.note) },
      ),
      signal,
    );
    stop();
    problems.through(undefined);
    show.close();
    if (interrupted) {
      output.say('Stopped: what ran is queued again; run the same command to go on.');
      return EXIT.interrupted;
    }
    const jobs = submitted.map((job) => scheduler.job(job.id) ?? job);
    const lasts = await lastAttempts(jobs, engine);
    return summarise(jobs, lasts, repository, performance.now() - startedMs, output);
  } finally {
    await engine.stop();
  }
}

/** All that is left goes on by itself once something outside is as it should be; the run stays for it. */
function sayWaiting(held: readonly Job[], output: Output, note: ((text: string) => void) | undefined): void {
  output.data({
    type: 'waiting',
    jobs: held.map((job) => {
      const why = explainJob(job);
      return { job: job.id, ticket: job.ticket.id, reason: why.text, frees: why.frees, cause: job.cause };
    }),
  });
  if (output.json) return;
  const say = note ?? output.say;
  for (const job of held) {
    const why = explainJob(job);
    say(`${job.ticket.id} ${why.text}. What frees it: ${why.frees}.`);
  }
  say('Waiting for that. Ctrl-C ends the run; the work is kept, and the same command goes on with it.');
}

/**
 * Shows what the repository would run. The first run agrees to it; `--trust` agrees to a change. Returns what is agreed to
 * once the tickets are taken: nothing that is neither shown nor run.
 */
async function agree(
  engine: Engine,
  repository: Repository,
  options: RunOptions,
  output: Output,
): Promise<string | undefined> {
  const userPolicy = await readUserPolicy(engine.home.root, repository.id);
  const found = await inspect({
    repository,
    userPolicy,
    ...(options.gate ? { override: options.gate } : {}),
  });
  output.data({
    type: 'gate',
    source: found.gateSource,
    setup: found.setup ?? null,
    steps: found.gate.map(({ name, command }) => ({ name, command })),
    trusted: found.trusted || repository.trustedHash === undefined || options.trust === true,
  });
  output.say(`${repository.name}: base ${found.base}`);
  if (found.setup !== undefined) output.say(`setup: ${found.setup}`);
  if (found.gate.length === 0)
    output.say('UNGATED: no gate step checks this repository; nothing will merge.');
  else output.say(`gate (${found.gateSource}): ${found.gate.map((step) => step.command).join(' · ')}`);
  for (const note of found.notes) output.say(`note: ${note}`);
  // With --gate, only the setup of what the repository brings is run.
  const first = repository.trustedHash === undefined && (!options.gate || found.setup !== undefined);
  if (found.trusted || !(options.trust === true || first)) return undefined;
  if (options.gate) {
    const { gate } = await inspect({ repository, userPolicy });
    if (gate.length > 0)
      output.say(`agreed to as well: its own gate: ${gate.map((step) => step.command).join(' · ')}`);
  }
  return found.commandsHash;
}

function follow(
  mine: ReadonlySet<string>,
  output: Output,
): { job(job: Job): void; note: ((text: string) => void) | undefined; close(): void } {
  const live = output.json ? undefined : createLiveTable(process.stdout);
  const last = new Map<string, string>();
  return {
    job(job) {
      if (!mine.has(job.id)) return;
      live?.show(job);
      const event = jobEvent(job, Date.now());
      const said = JSON.stringify([event.state, event.stage, event.reason]);
      if (last.get(job.id) === said) return;
      last.set(job.id, said);
      output.data(event);
    },
    // A table that redraws itself would be torn by lines of others.
    note: live && process.stdout.isTTY ? live.note : undefined,
    close: () => live?.close(),
  };
}

/** True where the signal came first. */
function drainOrStop(drained: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(true), { once: true });
    drained.then(() => resolve(false), reject);
  });
}

/** The last attempt of each job that had one, by job. */
async function lastAttempts(jobs: readonly Job[], engine: Engine): Promise<Map<string, Attempt>> {
  const lasts = new Map<string, Attempt>();
  for (const job of jobs) {
    const last = (await engine.parts.store.jobs.attempts(job.id)).at(-1);
    if (last) lasts.set(job.id, last);
  }
  return lasts;
}

function summarise(
  jobs: readonly Job[],
  lasts: ReadonlyMap<string, Attempt>,
  repository: Repository,
  wallMs: number,
  output: Output,
): number {
  const merged = jobs.filter((job) => job.state === 'merged').length;
  output.data({
    type: 'summary',
    repository: repository.path,
    base: repository.base,
    merged,
    total: jobs.length,
    wallMs: Math.round(wallMs),
    jobs: jobs.map((job) => jobSummary(job, lasts.get(job.id))),
  });
  output.say('');
  output.say(table(jobs.map((job) => jobCells(job))));
  for (const job of jobs) {
    if (job.state !== 'merged' && job.cause) output.say(`${job.ticket.id}: ${explainCause(job.cause).frees}`);
  }
  const waiting = jobs.filter(goesOnByItself).map(({ ticket }) => ticket.id);
  if (waiting.length > 0)
    output.say(
      `${waiting.join(', ')}: nobody looks again until this is run once more, or \`headway serve\` runs.`,
    );
  const notes = new Set([...lasts.values()].flatMap((attempt) => attempt.notes ?? []));
  for (const note of notes) output.say(`note: ${note}`);
  for (const job of jobs) {
    for (const change of lasts.get(job.id)?.drift ?? []) {
      output.say(`note: while ${job.ticket.id} ran, ${repository.path} changed: ${change}`);
    }
  }
  output.say(`${merged} of ${jobs.length} merged in ${formatDuration(wallMs)}`);
  return merged === jobs.length ? EXIT.ok : EXIT.notDone;
}
