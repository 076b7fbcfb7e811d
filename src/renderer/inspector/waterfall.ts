import type { Attempt, Job, Stage } from '../../shared/domain.ts';

export type Bar = {
  key: string;
  label: string;
  kind: 'queue' | Stage;
  attempt: number;
  startedAt: number;
  ms: number;
  live: boolean;
  /** Shares of the whole time, 0…1. */
  left: number;
  width: number;
};

/** A job's time as bars on one axis: each wait, then the stages of its attempt. `now` ends what still runs. */
export function waterfall(job: Job, attempts: readonly Attempt[], now: number): readonly Bar[] {
  type Raw = Omit<Bar, 'left' | 'width'>;
  const raw: Raw[] = [];
  let waitedSince = job.createdAt;
  for (const attempt of attempts) {
    raw.push(wait(attempt.number, waitedSince, attempt.startedAt, false));
    for (const stage of attempt.stages) {
      const live = stage.ms === undefined && attempt.endedAt === undefined;
      const endAt = stage.ms === undefined ? (attempt.endedAt ?? now) : stage.startedAt + stage.ms;
      raw.push({
        key: `${attempt.number}:${stage.stage}:${stage.startedAt}`,
        label: stage.stage,
        kind: stage.stage,
        attempt: attempt.number,
        startedAt: stage.startedAt,
        ms: Math.max(0, endAt - stage.startedAt),
        live,
      });
    }
    waitedSince = attempt.endedAt ?? now;
  }
  if (job.state === 'queued') raw.push(wait(attempts.length + 1, waitedSince, now, true));
  const from = Math.min(...raw.map((bar) => bar.startedAt));
  const to = Math.max(...raw.map((bar) => bar.startedAt + bar.ms));
  const whole = Math.max(1, to - from);
  return raw.map((bar) => ({ ...bar, left: (bar.startedAt - from) / whole, width: bar.ms / whole }));

  function wait(attempt: number, sinceAt: number, untilAt: number, live: boolean): Raw {
    const ms = Math.max(0, untilAt - sinceAt);
    return { key: `${attempt}:queue`, label: 'queue', kind: 'queue', attempt, startedAt: sinceAt, ms, live };
  }
}
