import { describe, expect, it } from 'vitest';
import type { Job } from '../../shared/domain.ts';
import { JobRows, jobData } from './job-rows.ts';

const job = (more: Partial<Job> = {}): Job => ({
  id: 'a',
  repoId: 'r',
  ticket: { id: 'A', title: 'A', text: 'x', dependsOn: [], related: [], priority: 'batch' },
  claim: { kind: 'paths', paths: ['a'], from: 'declared' },
  agent: 'scripted',
  base: 'main',
  order: 1,
  batchId: 'b',
  state: 'queued',
  attempts: 0,
  files: [],
  strayed: [],
  stages: {},
  createdAt: 1,
  queuedAt: 1,
  queuedMs: 0,
  seq: 7,
  ...more,
});
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
