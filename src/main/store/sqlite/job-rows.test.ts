import { describe, expect, it } from 'vitest';
import type { Job } from '../../../shared/domain.ts';
import { queuedJob } from '../testing/queued-job.ts';
import { JobRows, jobData } from './job-rows.ts';

const job = (more: Partial<Job> = {}): Job => {
  const { key: _, ...queued } = queuedJob('a');
  return { ...queued, order: 1, seq: 7, ...more };
};
const row = (of: Job) => ({
  id: of.id,
  repo_id: of.repoId,
  place: of.order,
  seq: of.seq,
  state: of.state,
  attempts: of.attempts,
  data: jobData(of),
});

describe('a row of a job', () => {
  it('is read once as long as it stays the same to the letter', () => {
    const rows = new JobRows();
    const first = rows.read(row(job()));
    expect(first).toEqual(job());
    expect(rows.read(row(job()))).toBe(first);
  });

  it('is never taken for one that was rolled back, although both have one number', () => {
    const rows = new JobRows();
    const undone = job({ branch: 'undone' });
    rows.remember(undone, jobData(undone));
    expect(rows.read(row(job({ branch: 'of another process' })))).toMatchObject({
      branch: 'of another process',
    });
    expect(rows.read(row(job({ state: 'held' }))).state).toBe('held');
  });

  it('is refused where it is no job, with what is wrong', () => {
    expect(() => new JobRows().read({ ...row(job()), data: '{"ticket":5}' })).toThrow(/job a cannot be read/);
  });
});
