import { describe, expect, it } from 'vitest';
import { type Job, jobSchema } from '../../../shared/domain.ts';
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

  it.each([
    ['no JSON', '{"ticket', 'it is no JSON'],
    ['other JSON', '[]', /: /],
    ['a job of another shape', '{"ticket":5}', /^ticket: /],
    ['nothing', '', 'it is no JSON'],
  ])('is a job that waits for a person where it holds %s', (_, data, why) => {
    const read = new JobRows().read({ ...row(job()), data });
    expect(read).toMatchObject({ id: 'a', repoId: 'r', state: 'held', cause: { code: 'unreadable' } });
    expect(read.cause).toMatchObject({ why: typeof why === 'string' ? why : expect.stringMatching(why) });
    expect(jobSchema.safeParse(read).success).toBe(true);
  });

  it('keeps the name of its ticket and its end where they can be read', () => {
    const data = JSON.stringify({ ticket: { id: 'T7', title: 'Seven' } });
    const read = new JobRows().read({ ...row(job({ state: 'merged' })), data });
    expect(read).toMatchObject({ state: 'merged', ticket: { id: 'T7', title: 'Seven' } });
  });
});
