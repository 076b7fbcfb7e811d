import type { Job } from '../../../shared/domain.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/time.ts';
import { resolveCommit } from '../../git/git.ts';
import { queuedAgain } from '../submission/new-job.ts';
import { type FindPorts, findPullRequest } from './find-pull-request.ts';

/** The first look comes this long after a job began to wait; each that finds nothing new doubles the pause. */
export type LookTiming = { firstMs: number; longestMs: number };
const LOOK_TIMING: LookTiming = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS };

export type PullRequestWatch = {
  /** Jobs changed: perhaps one waits for its pull request now, or none any more. */
  look(): void;
  stop(): Promise<void>;
};

type Waiting = Job & { cause: { code: 'awaits-pull-request'; merged: boolean } };

const waits = (job: Job): job is Waiting => job.state === 'held' && job.cause?.code === 'awaits-pull-request';

/**
 * Looks from time to time at the pull requests that jobs wait for, and puts a job whose pull request was merged or closed
 * back in the queue: its next attempt, which takes no slot, settles it. Nobody is asked while no job waits, and not again
 * for a merged one before the user's base has moved.
 */
export function watchPullRequests(options: {
  jobs(): readonly Job[];
  ports: FindPorts & { changed(): void; clock: { now(): number } };
  timing?: LookTiming | undefined;
  onProblem(thrown: unknown): void;
}): PullRequestWatch {
  const { ports, timing = LOOK_TIMING } = options;
  const stopping = new AbortController();
  /** Jobs that wait, with where the base of those stood whose pull request is merged there but not here. */
  const known = new Map<string, string | undefined>();
  let pauseMs = timing.firstMs;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  const isNews = async (job: Waiting): Promise<boolean> => {
    const repository = ports.repository(job.repoId);
    if (!repository) return false;
    const tip = await resolveCommit(repository.path, `refs/heads/${job.base}`);
    if (job.cause.merged && tip !== undefined && known.get(job.id) === tip) return false;
    const found = await findPullRequest(job, stopping.signal, ports);
    if (found?.kind === 'merged') known.set(job.id, tip);
    return found?.kind === 'merged' ? !job.cause.merged : found !== undefined && found.kind !== 'open';
  };

  const lookAtAll = async (): Promise<void> => {
    let news = false;
    for (const job of options.jobs().filter(waits)) {
      if (!(await isNews(job))) continue;
      news = true;
      await ports.store.jobs.transition(job.id, ['held'], queuedAgain(ports.clock.now()));
    }
    pauseMs = news ? timing.firstMs : Math.min(timing.longestMs, pauseMs * 2);
    if (news) ports.changed();
  };

  const arm = (): void => {
    if (stopping.signal.aborted || known.size === 0 || timer || round) return;
    timer = setTimeout(() => {
      timer = undefined;
      round = lookAtAll()
        .catch((thrown: unknown) => {
          if (!stopping.signal.aborted) options.onProblem(thrown);
        })
        .finally(() => {
          round = undefined;
          arm();
        });
    }, pauseMs).unref();
  };

  return {
    look() {
      const waiting = new Set(
        options
          .jobs()
          .filter(waits)
          .map(({ id }) => id),
      );
      for (const id of known.keys()) if (!waiting.has(id)) known.delete(id);
      const fresh = [...waiting].filter((id) => !known.has(id));
      for (const id of fresh) known.set(id, undefined);
      if (fresh.length > 0 || waiting.size === 0) {
        clearTimeout(timer);
        timer = undefined;
        pauseMs = timing.firstMs;
      }
      arm();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await round;
    },
  };
}
