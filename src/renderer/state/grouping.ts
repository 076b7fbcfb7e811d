import type { Job } from '../../shared/domain.ts';

export const GROUPS = ['needs-you', 'running', 'waiting', 'done'] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_TITLES: Record<Group, string> = {
  'needs-you': 'Needs you',
  running: 'Running',
  waiting: 'Waiting',
  done: 'Done',
};

export type QueueRow =
  /** `failed` of them ended without a merge, which a long list of merged ones would hide. */
  | { kind: 'group'; group: Group; count: number; failed: number; folded: boolean }
  | { kind: 'job'; group: Group; job: Job };

export function groupOf(job: Job): Group {
  switch (job.state) {
    case 'held':
      return 'needs-you';
    case 'running':
      return 'running';
    case 'queued':
      return 'waiting';
    case 'merged':
    case 'failed':
    case 'cancelled':
      return 'done';
    default:
      return job.state satisfies never;
  }
}

/**
 * What needs a person by how long it does, running jobs by start, done ones newest first, waiting ones in the
 * scheduler's order: the same in every window, whenever it was opened.
 */
export function groupJobs(
  jobs: ReadonlyMap<string, Job>,
  order: readonly string[],
): ReadonlyMap<Group, readonly Job[]> {
  const groups = new Map<Group, Job[]>(GROUPS.map((group) => [group, []]));
  for (const id of order) {
    const job = jobs.get(id);
    if (job) groups.get(groupOf(job))?.push(job);
  }
  groups.get('needs-you')?.sort((a, b) => heldAt(a) - heldAt(b) || (a.id < b.id ? -1 : 1));
  groups.get('running')?.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  groups.get('done')?.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
  return groups;
}

/** A job that was held before it ran has no end. */
const heldAt = (job: Job): number => job.endedAt ?? job.queuedAt;

/** Flat rows for the virtual list; empty groups are left out, folded ones keep their head. */
export function queueRows(
  groups: ReadonlyMap<Group, readonly Job[]>,
  folded: ReadonlySet<Group>,
): readonly QueueRow[] {
  const rows: QueueRow[] = [];
  for (const group of GROUPS) {
    const jobs = groups.get(group) ?? [];
    if (jobs.length === 0) continue;
    const failed = jobs.filter((job) => job.state === 'failed').length;
    rows.push({ kind: 'group', group, count: jobs.length, failed, folded: folded.has(group) });
    if (!folded.has(group)) for (const job of jobs) rows.push({ kind: 'job', group, job });
  }
  return rows;
}

/** The next job up (-1) or down (1) from `selectedId`; at the ends it stays. */
export function stepSelection(
  rows: readonly QueueRow[],
  selectedId: string | undefined,
  step: 1 | -1,
): string | undefined {
  const ids = rows.flatMap((row) => (row.kind === 'job' ? [row.job.id] : []));
  const at = selectedId === undefined ? -1 : ids.indexOf(selectedId);
  if (at < 0) return step === 1 ? ids[0] : ids.at(-1);
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))];
}
