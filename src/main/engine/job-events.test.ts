import { describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../shared/contract.ts';
import type { Job } from '../../shared/domain.ts';
import { queuedJob } from '../store/testing/queued-job.ts';
import { createEventBus } from './events.ts';
import { createQueueEvents, jobsOfEvent } from './job-events.ts';

const cap = (limit: number) => ({ code: 'cap', scope: 'machine', limit }) as const;
const job = (id: string, cause?: Job['cause']): Job => ({ ...queuedJob(id), order: 1, seq: 1, cause });

function listening() {
  const seen: AnyEvent[] = [];
  const bus = createEventBus(() => undefined);
  bus.listen((event) => seen.push(event));
  return { seen, queue: createQueueEvents(bus) };
}

describe('what windows are told of the queue', () => {
  it('is each cause once, with the jobs that wait for it', () => {
    const { seen, queue } = listening();
    queue.explained([job('a', cap(4)), job('b', { code: 'starting' }), job('c', cap(4))]);
    queue.explained([]);
    expect(seen.map(({ name, payload }) => ({ name, payload }))).toEqual([
      {
        name: 'jobs.explained',
        payload: {
          causes: [
            { cause: cap(4), jobIds: ['a', 'c'] },
            { cause: { code: 'starting' }, jobIds: ['b'] },
          ],
        },
      },
    ]);
  });

  it('is what changed of the order, and nothing where it stays', () => {
    const { seen, queue } = listening();
    for (const ids of [['a', 'b'], ['a', 'b'], ['b']]) queue.ordered(ids);
    expect(seen.map(({ payload }) => payload)).toEqual([
      { left: [], placed: [{ ids: ['a', 'b'] }] },
      { left: ['a'], placed: [] },
    ]);
    expect(queue.order()).toEqual(['b']);
  });

  it('leads back to the jobs that it tells of', () => {
    const { seen, queue } = listening();
    const known = new Map([job('a', cap(4)), job('b', cap(4))].map((each) => [each.id, each]));
    queue.explained([...known.values()]);
    queue.changed(job('c'));
    queue.ordered(['a']);
    expect(seen.flatMap((event) => jobsOfEvent(event, (id) => known.get(id))).map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});
