import { memoryLimitBytes } from './memory-limit.ts';

export type HardwareSample = {
  cpu: { usedShare: number; cores: number };
  ram: { usedBytes: number; totalBytes: number };
};

export interface HardwareSampler {
  sample(): Promise<HardwareSample>;
}

/** The driver is loaded at the first sample, so that start-up does not wait for it. */
export function createHardwareSampler(): HardwareSampler {
  let limitBytes: number | undefined;
  let first = true;
  return {
    async sample() {
      const { default: system } = await import('systeminformation');
      if (first) {
        limitBytes = await memoryLimitBytes();
        // The first reading covers the time since boot: it is taken and thrown away.
        await system.currentLoad();
        first = false;
      }
      const [load, memory] = await Promise.all([system.currentLoad(), system.mem()]);
      const totalBytes = Math.min(memory.total, limitBytes ?? Number.POSITIVE_INFINITY);
      return {
        cpu: { usedShare: clamp(load.currentLoad / 100), cores: load.cpus.length },
        ram: { usedBytes: Math.min(totalBytes, Math.max(0, memory.total - memory.available)), totalBytes },
      };
    },
  };
}

const clamp = (share: number): number => (Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0);
