import { describe, expect, it } from 'vitest';
import { testJob } from '../test-data.ts';
import { groupJobs, queueRows, stepSelection } from './grouping.ts';

const jobs = new Map(
  [
    testJob('w2'),
    testJob('w1'),
    testJob('r2', { state: 'running', startedAt: 20 }),
    testJob('r1', { state: 'running', startedAt: 10 }),
    testJob('h', { state: 'held' }),
    testJob('d1', { state: 'merged', endedAt: 1 }),
    testJob('d2', { state: 'failed', endedAt: 2 }),
  ].map((job) => [job.id, job]),
);
const order = ['w1', 'w2', 'r2', 'r1', 'h', 'd1', 'd2', 'unknown'];
const ids = (rows: ReturnType<typeof queueRows>): string[] =>
  rows.map((row) => (row.kind === 'job' ? row.job.id : `#${row.group}`));

describe('the queue', () => {
  it('groups by what a person must know, each group in its own order', () => {
    expect(ids(queueRows(groupJobs(jobs, order), new Set()))).toEqual([
      ...['#needs-you', 'h', '#running', 'r1', 'r2', '#waiting', 'w1', 'w2', '#done', 'd2', 'd1'],
    ]);
  });

  it('has what needs a person longest first, in whatever order a window came to know it', () => {
    const held = [
      testJob('late', { state: 'held', endedAt: 9 }),
      testJob('early', { state: 'held', endedAt: 3 }),
      testJob('never-ran', { state: 'held', queuedAt: 5 }),
    ];
    const known = new Map(held.map((job) => [job.id, job]));
    const seen = (order: string[]) =>
      groupJobs(known, order)
        .get('needs-you')
        ?.map((job) => job.id);
    expect(seen(['late', 'early', 'never-ran'])).toEqual(['early', 'never-ran', 'late']);
    expect(seen(['never-ran', 'late', 'early'])).toEqual(['early', 'never-ran', 'late']);
  });

  it('keeps the head of a folded group and leaves empty ones out', () => {
    const rows = queueRows(
      groupJobs(new Map([['d1', testJob('d1', { state: 'merged' })]]), ['d1']),
      new Set(['done']),
    );
    expect(rows).toEqual([{ kind: 'group', group: 'done', count: 1, failed: 0, folded: true }]);
  });

  it('says at the head of the done ones how many failed, also when they are folded away', () => {
    const rows = queueRows(groupJobs(jobs, order), new Set(['done']));
    expect(rows.at(-1)).toMatchObject({ group: 'done', count: 2, failed: 1 });
  });

  it('steps over group heads and stays at the ends', () => {
    const rows = queueRows(groupJobs(jobs, order), new Set());
    expect(stepSelection(rows, undefined, 1)).toBe('h');
    expect(stepSelection(rows, 'h', 1)).toBe('r1');
    expect(stepSelection(rows, 'h', -1)).toBe('h');
    expect(stepSelection(rows, 'd1', 1)).toBe('d1');
    expect(stepSelection([], undefined, 1)).toBeUndefined();
  });
});
