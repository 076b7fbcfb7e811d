import type { Gauges, Settings } from '../../shared/domain.ts';
import { formatBytes } from '../../shared/sizes.ts';

export type LimitRow = {
  name: string;
  used: string;
  limit: string;
  left: string;
  share: number;
  binds: boolean;
};

/** Each limit with what is left before it, the tightest first. */
export function limitRows(gauges: Gauges, settings: Settings): readonly LimitRow[] {
  const { cpu, ram, jobs, slots } = gauges;
  const binds = gauges.binds?.name;
  const slotCount = slots.ready + slots.claimed + slots.warming;
  const rows: LimitRow[] = [
    {
      name: 'Jobs at once on this machine',
      used: `${jobs.running}`,
      limit: `${jobs.limit}`,
      left: `${Math.max(0, jobs.limit - jobs.running)}`,
      share: jobs.limit > 0 ? jobs.running / jobs.limit : 1,
      binds: binds === 'policy' && jobs.running >= jobs.limit,
    },
    {
      name: 'CPU',
      used: `${(cpu.usedShare * cpu.cores).toFixed(1)} cores`,
      limit: `${cpu.cores} cores`,
      left: `${Math.max(0, cpu.cores * (1 - cpu.usedShare)).toFixed(1)} cores`,
      share: cpu.usedShare,
      binds: binds === 'cpu',
    },
    {
      name: 'Memory',
      used: formatBytes(ram.usedBytes),
      limit: formatBytes(ram.totalBytes),
      left: formatBytes(Math.max(0, ram.totalBytes - ram.usedBytes)),
      share: ram.totalBytes > 0 ? ram.usedBytes / ram.totalBytes : 1,
      binds: binds === 'memory',
    },
  ];
  if (slotCount > 0) {
    rows.push({
      name: 'Slots',
      used: `${slots.claimed}`,
      limit: `${slotCount}`,
      left: `${slots.ready} ready`,
      share: slots.claimed / slotCount,
      binds: binds === 'slots',
    });
  }
  rows.sort((a, b) => Number(b.binds) - Number(a.binds) || b.share - a.share);
  return [
    ...rows,
    {
      name: 'Jobs at once in one repository',
      used: '',
      limit: `${settings.maxJobsPerRepository}`,
      left: '',
      share: 0,
      binds: false,
    },
    {
      name: 'Installs at once',
      used: '',
      limit: `${settings.maxInstalls}`,
      left: '',
      share: 0,
      binds: false,
    },
    {
      name: 'Gate steps at once',
      used: '',
      limit: `${settings.maxGateSteps}`,
      left: '',
      share: 0,
      binds: false,
    },
  ];
}
