import { type Job, STAGES, type Stage } from '../../shared/domain.ts';
import { stagesSoFar } from '../../shared/stage-times.ts';
import { percentile } from '../state/gauge-history.ts';

export type StageName = 'queue' | Stage;
const REPORT_STAGES: readonly StageName[] = ['queue', ...STAGES];
/** What a job pays before and around its own work. */
const OVERHEAD: readonly StageName[] = ['slot', 'checkout', 'install'];

export type StageRow = {
  stage: StageName;
  jobs: number;
  medianMs: number;
  p95Ms: number;
  totalMs: number;
  /** Of the whole time after the queue; the queue itself has none. */
  share: number | undefined;
};

export type StageReport = {
  rows: readonly StageRow[];
  jobs: number;
  overheadMedianMs: number;
  overheadShare: number;
};

const timeOf = (job: Job, stage: StageName): number | undefined =>
  stage === 'queue' ? job.queuedMs : job.stages[stage];

/** Medians of the stages over jobs that have run or run now, what they do now included, and the share of fixed overhead. */
export function stageReport(jobs: readonly Job[], nowMs: number): StageReport {
  const ran = jobs
    .map((job) => ({ ...job, stages: stagesSoFar(job, nowMs) }))
    .filter((job) => Object.keys(job.stages).length > 0);
  const sums = new Map(
    REPORT_STAGES.map((stage) => [stage, ran.flatMap((job) => timeOf(job, stage) ?? [])] as const),
  );
  const total = (stage: StageName): number => (sums.get(stage) ?? []).reduce((sum, ms) => sum + ms, 0);
  const runMs = STAGES.reduce((sum, stage) => sum + total(stage), 0);
  const rows = REPORT_STAGES.map((stage) => {
    const times = sums.get(stage) ?? [];
    return {
      stage,
      jobs: times.length,
      medianMs: percentile(times, 0.5) ?? 0,
      p95Ms: percentile(times, 0.95) ?? 0,
      totalMs: total(stage),
      share: stage === 'queue' || runMs === 0 ? undefined : total(stage) / runMs,
    };
  });
  const overheads = ran.map((job) => OVERHEAD.reduce((sum, stage) => sum + (timeOf(job, stage) ?? 0), 0));
  const overheadMs = OVERHEAD.reduce((sum, stage) => sum + total(stage), 0);
  return {
    rows,
    jobs: ran.length,
    overheadMedianMs: percentile(overheads, 0.5) ?? 0,
    overheadShare: runMs === 0 ? 0 : overheadMs / runMs,
  };
}

/** A job's stages as shares of its own run, for one stacked bar. */
export function stageShares(job: Job): readonly { stage: Stage; share: number }[] {
  const runMs = STAGES.reduce((sum, stage) => sum + (job.stages[stage] ?? 0), 0);
  if (runMs === 0) return [];
  return STAGES.flatMap((stage) => {
    const ms = job.stages[stage] ?? 0;
    return ms > 0 ? [{ stage, share: ms / runMs }] : [];
  });
}
