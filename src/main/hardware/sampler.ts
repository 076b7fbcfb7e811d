import { setTimeout as delay } from 'node:timers/promises';
import { type CpuLimit, cpuLimit, memoryLimitBytes, usedMicroseconds } from './control-groups.ts';

export type HardwareSample = {
  cpu: { usedShare: number; cores: number };
  ram: { usedBytes: number; totalBytes: number };
};

export interface HardwareSampler {
  sample(): Promise<HardwareSample>;
}

/** What is asked of the operating system. */
export type HardwareDriver = {
  /** Load since it was asked before, at least a fifth of a second ago: asked sooner, it answers the same again. */
  currentLoad(): Promise<{ currentLoad: number; cpus: readonly unknown[] }>;
  mem(): Promise<{ total: number; available: number }>;
};

type Limits = { memoryBytes: number | undefined; cpu: CpuLimit | undefined };

/** Long enough for the driver to measure anew. */
const SLICE_MS = 500;
/** Nobody looked meanwhile: what happened since is no news. */
const STALE_MS = 10_000;

/** The driver is loaded at the first sample, so that start-up does not wait for it. */
export function createHardwareSampler(
  load: () => Promise<HardwareDriver> = async () => (await import('systeminformation')).default,
  readLimits: () => Promise<Limits> = async () => ({
    memoryBytes: await memoryLimitBytes(),
    cpu: await cpuLimit(),
  }),
  wait: (ms: number) => Promise<unknown> = delay,
): HardwareSampler {
  let opened: Promise<[HardwareDriver, Limits]> | undefined;
  let sampledAt = Number.NEGATIVE_INFINITY;
  let used: { microseconds: number; at: number } | undefined;

  /** Share of what the limit allows that was used since the last call; undefined: it is not counted. */
  const usedOfLimit = async ({ cores, usage }: CpuLimit): Promise<number | undefined> => {
    const microseconds = usage === undefined ? undefined : await usedMicroseconds(usage);
    if (microseconds === undefined) return undefined;
    const before = used;
    used = { microseconds, at: performance.now() };
    if (!before || used.at <= before.at) return undefined;
    return (microseconds - before.microseconds) / 1000 / (used.at - before.at) / cores;
  };

  return {
    async sample() {
      opened ??= Promise.all([load(), readLimits()]);
      const [system, limits] = await opened;
      if (performance.now() - sampledAt > STALE_MS) {
        // A reading covers the time since the one before, the first one all since boot: it is thrown away.
        await Promise.all([system.currentLoad(), limits.cpu && usedOfLimit(limits.cpu)]);
        await wait(SLICE_MS);
      }
      const [processor, memory, ownShare] = await Promise.all([
        system.currentLoad(),
        system.mem(),
        limits.cpu && usedOfLimit(limits.cpu),
      ]);
      sampledAt = performance.now();
      const totalBytes = Math.min(memory.total, limits.memoryBytes ?? Number.POSITIVE_INFINITY);
      const cores = Math.min(processor.cpus.length, limits.cpu?.cores ?? Number.POSITIVE_INFINITY);
      return {
        cpu: { usedShare: clamp(ownShare ?? processor.currentLoad / 100), cores },
        ram: { usedBytes: Math.min(totalBytes, Math.max(0, memory.total - memory.available)), totalBytes },
      };
    },
  };
}

const clamp = (share: number): number => (Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0);
