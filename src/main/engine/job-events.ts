import type { AnyEvent, EventPayload } from '../../shared/contract.ts';
import type { Job } from '../../shared/domain.ts';
import { orderChange } from '../../shared/order-change.ts';
import type { EventBus } from './events.ts';

/** What windows are told of the queue: never all of it, only what changed. */
export interface QueueEvents {
  changed(job: Job): void;
  /** These wait for another cause than before; nothing else of them changed. */
  explained(jobs: readonly Job[]): void;
  ordered(jobIds: string[]): void;
  /** The order that the last event led to. */
  order(): readonly string[];
}

export function createQueueEvents(bus: EventBus): QueueEvents {
  let order: readonly string[] = [];
  return {
    changed: (job) => bus.emit('job.changed', job),
    explained(jobs) {
      const causes = groupByCause(jobs);
      if (causes.length > 0) bus.emit('jobs.explained', { causes });
    },
    ordered(jobIds) {
      const change = orderChange(order, jobIds);
      order = jobIds;
      if (change) bus.emit('jobs.ordered', change);
    },
    order: () => order,
  };
}

/** The jobs of which an event tells anything, as they are now. */
export function jobsOfEvent(event: AnyEvent, find: (jobId: string) => Job | undefined): Job[] {
  if (event.name === 'job.changed') return [event.payload];
  if (event.name !== 'jobs.explained') return [];
  return event.payload.causes.flatMap(({ jobIds }) => jobIds.flatMap((jobId) => find(jobId) ?? []));
}

type Causes = EventPayload<'jobs.explained'>['causes'];

/** Thousands of jobs mostly wait for the same few things. */
function groupByCause(jobs: readonly Job[]): Causes {
  const groups = new Map<string, Causes[number]>();
  for (const { id, cause } of jobs) {
    if (!cause) continue;
    const name = JSON.stringify(cause);
    const group = groups.get(name) ?? { cause, jobIds: [] };
    group.jobIds.push(id);
    groups.set(name, group);
  }
  return [...groups.values()];
}
