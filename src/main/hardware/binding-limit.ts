import type { Cause } from '../../shared/cause.ts';
import type { Gauges } from '../../shared/domain.ts';
import type { HardwareSample } from './sampler.ts';

const CPU_FULL_SHARE = 0.95;
const RAM_FULL_SHARE = 0.9;

export type Load = {
  hardware: HardwareSample;
  running: number;
  limit: number;
  /** Why the queued jobs wait. */
  waiting: readonly Cause[];
  /** Running jobs that wait for a slot or an install. */
  waitingForSlots: number;
};

/** Which limit holds the queue now, with its evidence; undefined while nothing waits. */
export function bindingLimit(load: Load): Gauges['binds'] {
  const { hardware, waiting } = load;
  if (waiting.length === 0 && load.waitingForSlots === 0) return undefined;
  const ramShare = hardware.ram.usedBytes / hardware.ram.totalBytes;
  if (ramShare >= RAM_FULL_SHARE)
    return { name: 'memory', why: `${Math.round(ramShare * 100)} % of memory is used` };
  if (hardware.cpu.usedShare >= CPU_FULL_SHARE) {
    return {
      name: 'cpu',
      why: `${Math.round(hardware.cpu.usedShare * 100)} % of ${hardware.cpu.cores} cores is used`,
    };
  }
  if (load.waitingForSlots > 0)
    return { name: 'slots', why: `${load.waitingForSlots} wait for a slot or an install` };
  const capped = waiting.filter((cause) => cause.code === 'cap').length;
  if (capped > 0)
    return { name: 'policy', why: `the cap: ${load.running} of ${load.limit} run, ${capped} wait` };
  const behind = waiting.filter((cause) => cause.code !== 'starting').length;
  return behind > 0
    ? { name: 'policy', why: `${behind} wait behind jobs that they conflict with` }
    : undefined;
}
