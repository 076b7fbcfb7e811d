import { isDeepStrictEqual } from 'node:util';
import type { Job, Repository } from '../../../shared/domain.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/time.ts';
import { resolveCommit } from '../../git/git.ts';
import type { JobPorts } from '../ports.ts';
import { queuedAgain } from '../submission/new-job.ts';
import type { LookRound } from './look-again.ts';
import { goesOnByItself } from './outside-causes.ts';

export type HeldTiming = {
  /** From one look to the next: it doubles while nothing changes, so that a night of waiting costs little. */
  firstMs: number;
  longestMs: number;
  /** A job that was held again for the same reason is not let go before this, which doubles each time. */
  againMs: number;
  longestAgainMs: number;
};
const HELD_TIMING: HeldTiming = {
  firstMs: SECOND_MS,
  longestMs: 10 * SECOND_MS,
  againMs: MINUTE_MS,
  longestAgainMs: 30 * MINUTE_MS,
};
/** Looking takes at most one part in this many of the time. */
const SHARE = 20;

export type HeldWatch = {
  /** Jobs changed: perhaps one is held now by something outside, or none any more. */
  look(): void;
  stop(): Promise<void>;
};

/** What is known of a job that is held, as this process saw it. */
type Seen = { pauseMs: number; untilMs: number };

/**
 * Looks from time to time at what holds jobs from outside (the user's checkout, a hook, a branch, the disk). A job whose
 * cause is gone is queued, and lands with the work that it has; one whose cause changed says so.
 */
export function watchHeld(options: {
  jobs(): readonly Job[];
  concerns(job: Job): boolean;
  ports: JobPorts;
  timing?: HeldTiming | undefined;
  onProblem(thrown: unknown): void;
}): HeldWatch {
  const { ports, timing = HELD_TIMING } = options;
  let stopped = false;
  const known = new Map<string, Seen>();
  const proofFacts = new Map<string, string>();
  let waiting = new Set<string>();
  let pauseMs = timing.firstMs;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  const isWatched = (job: Job): boolean =>
    goesOnByItself(job) || (job.state === 'held' && job.cause?.code === 'needs-proof');
  const held = (): Job[] => options.jobs().filter((job) => options.concerns(job) && isWatched(job));

  const lookAt = async (job: Job, looks: LookRound): Promise<boolean> => {
    const repository: Repository | undefined = ports.repository(job.repoId);
    if (!repository) return false;
    const now = ports.clock.monotonic();
    const seen = known.get(job.id) ?? { pauseMs: timing.againMs, untilMs: now };
    known.set(job.id, seen);
    // Where it can't be looked at now (a repository that is not mounted), it stays as it is.
    const { lookAgain } = await import('./look-again.ts');
    const found = await lookAgain(job, repository, ports, looks).catch(() => undefined);
    if (found === undefined || stopped) return false;
    // A hook may look at what no mark shows: it is asked again from time to time.
    const due = found !== 'gone' && found.code === 'merge-refused' && now >= seen.untilMs + seen.pauseMs;
    if (found !== 'gone' && !due) {
      if (isDeepStrictEqual(found, job.cause)) return false;
      return (await ports.store.jobs.transition(job.id, ['held'], { cause: found })) !== undefined;
    }
    // Room enough for the look may be too little for the job.
    if (job.cause?.code === 'disk-full' && now < seen.untilMs) return false;
    known.set(job.id, {
      pauseMs: Math.min(timing.longestAgainMs, seen.pauseMs * 2),
      untilMs: now + seen.pauseMs,
    });
    return (
      (await ports.store.jobs.transition(job.id, ['held'], queuedAgain(ports.clock.now()))) !== undefined
    );
  };

  /** A proof may hold again, or no more, because the base moved or another process proved; whoever proves tells by itself. */
  const lookAtProof = async (repository: Repository, base: string): Promise<void> => {
    const [tip, proof] = await Promise.all([
      resolveCommit(repository.path, `refs/heads/${base}`),
      ports.store.proofs.latest(repository.id),
    ]);
    const facts = `${tip} ${proof?.key} ${proof?.at}`;
    const key = `${repository.id} ${base}`;
    if (proofFacts.get(key) === facts) return;
    proofFacts.set(key, facts);
    const { releaseProven } = await import('../stages/proof-demand.ts');
    await releaseProven(ports, repository);
  };

  const lookAtAll = async (): Promise<void> => {
    const beganMs = ports.clock.monotonic();
    // Not part of a start: most never need it.
    const { LookRound } = await import('./look-again.ts');
    const looks = new LookRound();
    let news = false;
    for (const job of held()) {
      if (stopped) return;
      if (job.cause?.code !== 'needs-proof') {
        if (await lookAt(job, looks)) news = true;
        continue;
      }
      const repository = ports.repository(job.repoId);
      if (!repository) continue;
      const { base } = job;
      await looks.once(`proof ${repository.id} ${base}`, () => lookAtProof(repository, base));
    }
    const tookMs = ports.clock.monotonic() - beganMs;
    pauseMs = news ? timing.firstMs : Math.min(timing.longestMs, pauseMs * 2);
    pauseMs = Math.max(pauseMs, tookMs * SHARE);
    if (news) ports.changed();
  };

  const arm = (): void => {
    if (stopped || timer || round || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      round = lookAtAll()
        .catch(options.onProblem)
        .finally(() => {
          round = undefined;
          arm();
        });
    }, pauseMs).unref();
  };

  return {
    look() {
      const now = new Set(held().map(({ id }) => id));
      if ([...now].some((id) => !waiting.has(id))) {
        clearTimeout(timer);
        timer = undefined;
        pauseMs = timing.firstMs;
      }
      waiting = now;
      // What was seen of a job is kept while it may be held again.
      const open = new Set(
        options.jobs().flatMap(({ id, state }) => (['merged', 'cancelled'].includes(state) ? [] : id)),
      );
      for (const id of known.keys()) if (!open.has(id)) known.delete(id);
      arm();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
