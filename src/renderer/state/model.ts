import type { Cause } from '../../shared/cause.ts';
import type { AnyEvent, Snapshot } from '../../shared/contract.ts';
import type { AgentInfo, Gauges, Job, Repository, Session, Settings, Slot } from '../../shared/domain.ts';
import { changeOrder } from '../../shared/order-change.ts';

/** What the window knows of the engine. Maps are replaced, never changed in place, so selectors can compare. */
export type Model = {
  seq: number;
  version: string;
  platform: string;
  home: string;
  repositories: ReadonlyMap<string, Repository>;
  jobs: ReadonlyMap<string, Job>;
  /** Job ids in the scheduler's order. */
  order: readonly string[];
  /** Ids of those that wait, as the engine orders them. */
  queue: readonly string[];
  slots: ReadonlyMap<string, Slot>;
  sessions: ReadonlyMap<string, Session>;
  settings: Settings;
  agents: readonly AgentInfo[];
  gauges: Gauges | undefined;
};

export type Applied = { kind: 'applied'; model: Model } | { kind: 'gap'; expected: number; got: number };

const byId = <T extends { id: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.id, item]));

export function modelFromSnapshot(snapshot: Snapshot): Model {
  return {
    seq: snapshot.seq,
    version: snapshot.version,
    platform: snapshot.platform,
    home: snapshot.home,
    repositories: byId(snapshot.repositories),
    jobs: byId(snapshot.jobs),
    order: snapshot.jobs.map((job) => job.id),
    queue: snapshot.queue,
    slots: byId(snapshot.slots),
    sessions: byId(snapshot.sessions),
    settings: snapshot.settings,
    agents: snapshot.agents,
    gauges: snapshot.gauges,
  };
}

/**
 * Applies events in order and copies each touched map once for the whole batch. Events that the model already includes
 * are passed over; a missing sequence number stops at once: the caller must take a new snapshot.
 */
export function applyEvents(model: Model, batch: readonly AnyEvent[]): Applied {
  const draft = new Draft(model);
  let seq = model.seq;
  for (const event of batch) {
    if (event.seq <= seq) continue;
    if (event.seq !== seq + 1) return { kind: 'gap', expected: seq + 1, got: event.seq };
    seq = event.seq;
    draft.apply(event);
  }
  return { kind: 'applied', model: draft.finish(seq) };
}

type Kind = 'jobs' | 'repositories' | 'slots' | 'sessions';

class Draft {
  #next: Model;
  #copied = new Set<Kind>();

  constructor(model: Model) {
    this.#next = { ...model };
  }

  apply(event: AnyEvent): void {
    switch (event.name) {
      case 'job.changed':
        this.#putJob(event.payload);
        break;
      case 'jobs.ordered':
        this.#next.queue = changeOrder(this.#next.queue, event.payload);
        this.#next.order = mergeOrder(this.#next.queue, this.#next.order, this.#next.jobs);
        break;
      case 'jobs.explained':
        for (const { cause, jobIds } of event.payload.causes) {
          for (const jobId of jobIds) this.#explain(jobId, cause);
        }
        break;
      case 'repository.changed':
        this.#map('repositories').set(event.payload.id, event.payload);
        break;
      case 'repository.removed':
        this.#map('repositories').delete(event.payload.repoId);
        break;
      case 'slot.changed':
        this.#map('slots').set(event.payload.id, event.payload);
        break;
      case 'slot.removed':
        this.#map('slots').delete(event.payload.slotId);
        break;
      case 'session.changed':
        this.#map('sessions').set(event.payload.id, event.payload);
        break;
      case 'settings.changed':
        this.#next.settings = event.payload;
        break;
      case 'gauges.sampled':
        this.#next.gauges = event.payload;
        break;
      case 'notice':
      case 'proof.changed':
        break;
      default:
        // An event of a newer engine: its number counts, its content is not ours to show.
        event satisfies never;
    }
  }

  finish(seq: number): Model {
    return { ...this.#next, seq };
  }

  #putJob(job: Job): void {
    const known = this.#next.jobs.get(job.id);
    if (known && known.seq > job.seq) return;
    if (!known) this.#next.order = [...this.#next.order, job.id];
    this.#map('jobs').set(job.id, job);
  }

  #explain(jobId: string, cause: Cause): void {
    const job = this.#next.jobs.get(jobId);
    if (job?.state === 'queued') this.#map('jobs').set(jobId, { ...job, cause });
  }

  #map<K extends Kind>(kind: K): Map<string, MapValue<Model[K]>> {
    if (!this.#copied.has(kind)) {
      this.#copied.add(kind);
      this.#next = { ...this.#next, [kind]: new Map(this.#next[kind] as ReadonlyMap<string, unknown>) };
    }
    return this.#next[kind] as unknown as Map<string, MapValue<Model[K]>>;
  }
}

type MapValue<M> = M extends ReadonlyMap<string, infer V> ? V : never;

/** The named ids in their new order; known jobs that the order does not name keep their place behind them. */
function mergeOrder(
  ordered: readonly string[],
  before: readonly string[],
  jobs: ReadonlyMap<string, Job>,
): readonly string[] {
  const named = new Set(ordered);
  return [...ordered.filter((id) => jobs.has(id)), ...before.filter((id) => !named.has(id))];
}
