import { describe, expect, it } from 'vitest';
import type { Job } from '../../shared/domain.ts';
import { queuedJob } from '../store/testing/queued-job.ts';
import { Drains, movesByItself, stayingFor } from './drains.ts';

const job = (id: string, more: Partial<Job> = {}): Job => ({ ...queuedJob(id), order: 1, seq: 1, ...more });
const heldFor = (id: string, jobId: string): Job =>
  job(id, { state: 'held', cause: { code: 'dependency-failed', jobId, ticketId: jobId } as Job['cause'] });

it('moves by itself while it runs, or while only time is in its way', () => {
  const queued = (cause: Job['cause']): Job => job('a', { state: 'queued', cause });
  expect(movesByItself(job('a', { state: 'running' }))).toBe(true);
  expect(movesByItself(queued({ code: 'backoff', why: 'x' } as Job['cause']))).toBe(true);
  expect(movesByItself(queued(undefined))).toBe(false);
  expect(movesByItself(job('a', { state: 'held' }))).toBe(false);
});

describe('what stays', () => {
  const stays = ({ id }: Job): boolean => id === 'last';

  it('is found behind the jobs that others wait for', () => {
    const jobs = [heldFor('first', 'middle'), heldFor('middle', 'last'), job('last', { state: 'held' })];
    const get = (id: string): Job | undefined => jobs.find((one) => one.id === id);
    expect(stayingFor([jobs[0] as Job], stays, get).map(({ id }) => id)).toEqual(['last']);
  });

  it('ends where jobs wait for each other in a ring', () => {
    const jobs = [heldFor('a', 'b'), heldFor('b', 'a')];
    expect(stayingFor(jobs, stays, (id) => jobs.find((one) => one.id === id))).toEqual([]);
  });
});

describe('who waits until all is drained', () => {
  const get = (): undefined => undefined;

  it('is let go once nothing of theirs moves, whatever others have', async () => {
    const drains = new Drains();
    let isDrained = false;
    const drained = drains
      .add(({ id }) => id === 'mine', undefined)
      .then(() => {
        isDrained = true;
      });
    drains.settle([job('mine', { state: 'running' })], true, get);
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    drains.settle([job('other', { state: 'running' })], true, get);
    await drained;
  });

  it('hears once of held jobs that go on by themselves, and again when they or their causes change', async () => {
    const drains = new Drains();
    const heard: string[][] = [];
    const drained = drains.add(() => true, {
      stays: ({ state }) => state === 'held',
      onStay: (held) => heard.push(held.map(({ id }) => id)),
    });
    const [a, b] = [job('a', { state: 'held' }), job('b', { state: 'held' })];
    drains.settle([a, b], false, get);
    drains.settle([a, b], false, get);
    drains.settle([b], false, get);
    drains.settle([], false, get);
    await drained;
    expect(heard).toEqual([['a', 'b'], ['b']]);
  });
});
