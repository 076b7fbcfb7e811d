import { setTimeout as delay } from 'node:timers/promises';
import { explainJob } from '../../../shared/cause.ts';
import type { Job } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { formatBytes } from '../../../shared/sizes.ts';
import { leftInTrash } from '../../disk/left-in-trash.ts';
import { diffOf } from '../../engine/api/engine-api.ts';
import type { Engine } from '../../engine/engine.ts';
import { actOnJob, type JobAction } from '../../jobs/actions.ts';
import { slotPlanOf } from '../../jobs/stages/slot-plan-of.ts';
import { failedInstallOf } from '../../slots/pool/warm-slots.ts';
import { EXIT } from './exit-codes.ts';
import { gateData, gateLines } from './gate-lines.ts';
import { jobCells, jobSummary } from './job-lines.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

const MEASURE_MS = 2_000;

/** A job by its id, or the newest one of a ticket. */
function findJob(engine: Engine, name: string): Job {
  const jobs = engine.parts.scheduler.jobs();
  const found = jobs.find((job) => job.id === name) ?? jobs.filter((job) => job.ticket.id === name).at(-1);
  if (!found)
    throw new HeadwayError('not-found', `There is no job or ticket ${name}; \`headway jobs\` lists them.`);
  return found;
}

export function jobsCommand(output: Output): Promise<number> {
  return looking(async (engine) => {
    const jobs = engine.parts.scheduler.jobs();
    output.data({ type: 'jobs', jobs: jobs.map((job) => jobSummary(job)) });
    output.say(
      jobs.length === 0 ? 'There are no jobs.' : table(jobs.map((job) => [job.id, ...jobCells(job)])),
    );
    return EXIT.ok;
  });
}

export function actCommand(
  action: JobAction,
  name: string,
  options: { approveGateChange?: string },
  output: Output,
): Promise<number> {
  return looking(async (engine) => {
    const { store, repositories, now, jobPorts } = engine.parts;
    const found = findJob(engine, name);
    const { approveGateChange } = options;
    if (action === 'release' && found.cause?.code === 'tampered' && approveGateChange === undefined) {
      return showGateChange(engine, found, output);
    }
    const ports = {
      store,
      repository: repositories.get,
      now,
      user: jobPorts.user,
      changeHash: async (job: Job) => (await diffOf(engine.parts, job)).hash,
    };
    const job = await actOnJob(action, found.id, ports, approveGateChange);
    output.data({ type: 'job', ...jobSummary(job) });
    output.say(`${job.ticket.id} is ${job.state}.`);
    return EXIT.ok;
  });
}

/** Releases nothing: the change is shown, and how it is approved. */
async function showGateChange(engine: Engine, job: Job, output: Output): Promise<number> {
  const { diff, hash } = await diffOf(engine.parts, job, Number.MAX_SAFE_INTEGER);
  output.data({ type: 'gate-change', job: job.id, ticket: job.ticket.id, hash, diff });
  output.say(diff.trimEnd());
  output.say(
    `${explainJob(job)?.text ?? ''}. Nothing is released. To approve the gate change that you see above:`,
  );
  output.say(`  headway jobs release ${job.ticket.id} --approve-gate-change ${hash}`);
  return EXIT.notDone;
}

export function whyCommand(name: string, output: Output): Promise<number> {
  return looking(async (engine) => {
    const job = findJob(engine, name);
    const why = explainJob(job);
    const runners = (await engine.parts.store.runners.list()).filter(
      ({ id }) => id !== engine.parts.runner.id,
    );
    const attempts = await engine.parts.store.jobs.attempts(job.id);
    const gate = attempts.findLast(({ gates }) => gates.length > 0)?.gates.at(-1);
    const idle = job.state === 'queued' && runners.length === 0;
    output.data({
      type: 'why',
      job: job.id,
      ticket: job.ticket.id,
      state: job.state,
      stage: job.stage ?? null,
      reason: why.text,
      frees: why.frees,
      cause: job.cause ?? null,
      runners: runners.length,
      gate: gate ? gateData(gate) : null,
    });
    const [, where] = jobCells(job);
    output.say(`${job.ticket.id} is ${where}: ${why.text}`);
    if (job.state !== 'merged') output.say(`What would free it: ${why.frees}`);
    if (gate) for (const line of ['Its last gate:', ...gateLines(gate)]) output.say(line);
    if (idle) output.say('No Headway runs now: start one with `headway serve`, or run its tickets again.');
    return EXIT.ok;
  });
}

export function slotsCommand(output: Output): Promise<number> {
  return looking(async (engine) => {
    // Most are known already; where they are not, a person waits no longer than this.
    await Promise.race([engine.parts.pool.measure(), delay(MEASURE_MS, undefined, { ref: false })]);
    const slots = [...engine.parts.slots.values()];
    const repositoryName = (repoId: string): string => engine.parts.repositories.get(repoId)?.name ?? repoId;
    const trash = await leftInTrash(engine.parts.home.slots);
    output.data({ type: 'slots', slots, trash });
    for (const { path, bytes, why } of trash)
      output.say(`${formatBytes(bytes)} stay in the trash, ${path}: ${why}`);
    output.say(
      slots.length === 0
        ? 'There are no slots; make some with `headway slots warm --repo DIR --count N`.'
        : table(
            slots.map((slot) => [
              slot.id,
              repositoryName(slot.repoId),
              slot.state,
              slot.commit?.slice(0, 10) ?? '',
              slot.sizeBytes === undefined ? '' : formatBytes(slot.sizeBytes),
              slot.reason ?? slot.path,
            ]),
          ),
    );
    return EXIT.ok;
  });
}

export function warmCommand(
  options: { repo: string; count: number; base?: string; trust?: boolean },
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  return looking(async (engine) => {
    const { repositories, pool, jobPorts, bus } = engine.parts;
    const known = await repositories.add(options.repo, options.base);
    const repository = options.trust
      ? await repositories.trust(known, await currentHash(engine, known.id))
      : known;
    const stop = bus.listen((event) => {
      if (event.name === 'slot.changed')
        output.say(`${event.payload.id}  ${event.payload.state}  ${event.payload.reason ?? ''}`);
    });
    try {
      const slots = await pool.warm(
        repository,
        options.count,
        await slotPlanOf(repository, jobPorts),
        signal,
      );
      output.data({ type: 'slots', slots });
      const bare = slots.flatMap((slot) => failedInstallOf(slot) ?? []);
      // Work trees all the same: a job that gets one installs again. But what was asked for is not there.
      const ready = slots.filter((slot) => slot.state === 'ready').length - bare.length;
      output.say(`${ready} of ${options.count} ready`);
      for (const why of new Set(bare))
        output.say(`install failed in ${bare.filter((each) => each === why).length}: ${why}`);
      return ready >= options.count ? EXIT.ok : EXIT.notDone;
    } finally {
      stop();
    }
  });
}

async function currentHash(engine: Engine, repoId: string): Promise<string> {
  const repository = engine.parts.repositories.need(repoId);
  const mirror = engine.parts.pool.mirror(repository);
  await mirror.fetch();
  const commit = (await mirror.baseCommit(repository.base)) ?? '';
  return (await engine.parts.jobPorts.policyAt(mirror, repository, commit)).hash;
}

export function slotCommand(action: 'rebuild' | 'remove', slotId: string, output: Output): Promise<number> {
  return looking(async (engine) => {
    if (action === 'remove') await engine.parts.pool.remove(slotId);
    const slot = action === 'rebuild' ? await engine.parts.pool.rebuild(slotId) : undefined;
    output.data({ type: 'slot', slot: slot ?? null, removed: action === 'remove' ? slotId : null });
    output.say(slot ? `${slot.id} is ${slot.state}.` : `${slotId} is removed.`);
    return EXIT.ok;
  });
}
