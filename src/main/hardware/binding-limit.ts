import type { Cause } from '../../shared/cause.ts';
import type { Gauges } from '../../shared/domain.ts';
import type { HardwareSample } from './sampler.ts';

const CPU_FULL_SHARE = 0.95;
const RAM_FULL_SHARE = 0.9;

export type Load = {
  hardware: HardwareSample;
  /** Jobs that take a seat. */
  running: number;
  limit: number;
  /** Why the queued jobs wait. */
  waiting: readonly Cause[];
  /** Running jobs that wait for a slot or an install. */
  waitingForSlots: number;
};

type Binds = Gauges['binds'];

const CONFLICTS: readonly Cause['code'][] = ['path-conflict', 'touches-everything', 'related'];

/** Which hardware has no room left, if any. */
function fullHardware({ cpu, ram }: HardwareSample): Binds {
  const ramShare = ram.usedBytes / ram.totalBytes;
  if (ramShare >= RAM_FULL_SHARE)
    return { name: 'memory', why: `${Math.round(ramShare * 100)} % of memory is used` };
  if (cpu.usedShare >= CPU_FULL_SHARE)
    return { name: 'cpu', why: `${Math.round(cpu.usedShare * 100)} % of ${cpu.cores} cores is used` };
  return undefined;
}

/**
 * Which limit holds the queue now, with its evidence; undefined while nothing waits. What the jobs themselves say comes first:
 * hardware starts and holds no job, so it binds only where they say nothing else, and is told beside a cap, because a higher one
 * would not help then.
 */
export function bindingLimit(load: Load): Binds {
  const { waiting, waitingForSlots } = load;
  if (waiting.length === 0 && waitingForSlots === 0) return undefined;
  const count = (fits: (cause: Cause) => boolean): number => waiting.filter(fits).length;
  const full = fullHardware(load.hardware);
  const capped = count(({ code }) => code === 'cap');
  if (waitingForSlots > 0)
    return { name: 'slots', why: `${number(waitingForSlots, 'waits', 'wait')} for a slot or an install` };
  if (capped > 0) {
    const beside = full ? `; ${full.why}, so a higher cap would not help now` : '';
    return {
      name: 'policy',
      why: `the cap: ${load.running} of ${load.limit} run, ${number(capped, 'waits', 'wait')}${beside}`,
    };
  }
  const trouble = waiting.find(({ code }) => code === 'store-trouble');
  if (trouble) return { name: 'policy', why: 'nothing can be recorded, so no job is started' };
  const parts = [
    [count(({ code }) => CONFLICTS.includes(code)), 'behind jobs that they conflict with'],
    [count(({ code }) => code === 'depends-on'), 'for what they depend on'],
    [count(({ code }) => code === 'backoff'), 'for a pause to end'],
  ] as const;
  const held = parts.filter(([jobs]) => jobs > 0);
  if (held.length === 0) return full;
  return {
    name: 'policy',
    why: held.map(([jobs, what]) => `${number(jobs, 'waits', 'wait')} ${what}`).join(', '),
  };
}

const number = (jobs: number, one: string, more: string): string => `${jobs} ${jobs === 1 ? one : more}`;
