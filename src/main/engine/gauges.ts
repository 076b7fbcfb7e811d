import type { Gauges, Job, Session, Slot } from '../../shared/domain.ts';
import { bindingLimit } from '../hardware/binding-limit.ts';
import type { HardwareSampler } from '../hardware/sampler.ts';
import { seatsTaken, waitsToMerge } from '../scheduling/seats.ts';

export type GaugeSources = {
  sampler: HardwareSampler;
  jobs(): readonly Job[];
  slots(): readonly Slot[];
  sessions(): readonly Session[];
  limit(): number;
  now(): number;
  onSample(gauges: Gauges): void;
};

const SAMPLE_MS = 1_000;

async function sample(sources: GaugeSources): Promise<Gauges> {
  const hardware = await sources.sampler.sample();
  const jobs = sources.jobs();
  const running = jobs.filter((job) => job.state === 'running');
  const waitingToMerge = running.filter(waitsToMerge).length;
  const seats = seatsTaken(running.length - waitingToMerge, waitingToMerge, sources.limit());
  const queued = jobs.filter((job) => job.state === 'queued');
  const slots = sources.slots();
  const count = (...states: Slot['state'][]): number =>
    slots.filter((slot) => states.includes(slot.state)).length;
  const at = sources.now();
  return {
    at,
    ...hardware,
    jobs: { running: seats, limit: sources.limit() },
    queue: {
      depth: queued.length,
      oldestWaitMs: queued.reduce((oldest, job) => Math.max(oldest, at - job.queuedAt), 0),
    },
    slots: {
      ready: count('ready'),
      warming: count('warming', 'resetting', 'cold'),
      claimed: count('claimed'),
      quarantined: count('quarantined'),
    },
    sessions: { live: sources.sessions().filter((session) => session.state === 'live').length },
    binds: bindingLimit({
      hardware,
      running: seats,
      limit: sources.limit(),
      waiting: queued.flatMap((job) => job.cause ?? []),
      waitingForSlots: running.filter(
        (job) => job.cause?.code === 'waits-for-slot' || job.cause?.code === 'waits-for-install',
      ).length,
    }),
  };
}

/** Samples once a second while somebody looks. */
export interface GaugePump {
  start(): void;
  stop(): void;
  last(): Gauges | undefined;
}

export function createGaugePump(sources: GaugeSources): GaugePump {
  let timer: NodeJS.Timeout | undefined;
  let last: Gauges | undefined;
  let sampling = false;
  const tick = async (): Promise<void> => {
    if (sampling) return;
    sampling = true;
    try {
      last = await sample(sources);
      if (timer) sources.onSample(last);
    } catch {
      // A sample that failed is a gap in a gauge, nothing more.
    } finally {
      sampling = false;
    }
  };
  return {
    start() {
      timer ??= setInterval(() => void tick(), SAMPLE_MS);
      void tick();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    last: () => last,
  };
}
