import type { Gauges } from '../../shared/domain.ts';
import { formatBytes } from '../../shared/sizes.ts';
import { formatDuration, SECOND_MS } from '../../shared/time.ts';
import { type GaugeName, gaugeHistory, percentile } from '../state/gauge-history.ts';

export type GaugeFacts = {
  name: GaugeName;
  label: string;
  value: string;
  unit: string;
  /** The widest value there can be, whose room is kept: what stands beside the gauge does not move with its digits. */
  widest?: string;
  now: number;
  limit: number | undefined;
  binds: boolean;
  source: string;
};

const GB = 1024 ** 3;

/** The gauge that shows the limit that binds. Policy below its cap is the rule of paths: it shows in the queue. */
export function boundGauge({ binds, jobs }: Pick<Gauges, 'binds' | 'jobs'>): GaugeName | undefined {
  switch (binds?.name) {
    case 'policy':
      return jobs.running >= jobs.limit ? 'running' : 'queue';
    case 'memory':
      return 'ram';
    case 'gate':
      return undefined;
    default:
      return binds?.name;
  }
}

/** What each gauge says: a number, its limit, where it comes from, whether it is the one that binds. */
export function gaugeFacts(gauges: Gauges): readonly GaugeFacts[] {
  const { cpu, ram, jobs, queue, slots, sessions } = gauges;
  const bound = boundGauge(gauges);
  const facts: Omit<GaugeFacts, 'binds'>[] = [
    {
      name: 'cpu',
      label: 'CPU',
      value: `${Math.round(cpu.usedShare * 100)}`,
      widest: '100',
      unit: `% of ${cpu.cores} ${cpu.cores === 1 ? 'core' : 'cores'}`,
      now: cpu.usedShare,
      limit: 1,
      source: 'All cores of this machine, all programs.',
    },
    {
      name: 'ram',
      label: 'RAM',
      value: (ram.usedBytes / GB).toFixed(1),
      widest: (ram.totalBytes / GB).toFixed(1),
      unit: `/ ${(ram.totalBytes / GB).toFixed(1)} GB`,
      now: ram.usedBytes,
      limit: ram.totalBytes,
      source: 'Memory in use on this machine, without what the system can free at once.',
    },
    {
      name: 'running',
      label: 'Running',
      value: `${jobs.running}`,
      unit: `/ ${jobs.limit} · ${sessions.live} ${sessions.live === 1 ? 'session' : 'sessions'}`,
      now: jobs.running,
      limit: jobs.limit,
      source: 'Running jobs / limit, and live sessions.',
    },
    {
      name: 'queue',
      label: 'Queue',
      value: `${queue.depth}`,
      unit: queue.depth > 0 ? `waiting · oldest ${formatWait(queue.oldestWaitMs)}` : 'nothing waits',
      now: queue.depth,
      limit: undefined,
      source: 'Jobs that wait, and how long the oldest has waited.',
    },
    {
      name: 'slots',
      label: 'Slots',
      value: `${slots.ready}`,
      unit: slotsUnit(slots),
      now: slots.ready,
      limit: slots.ready + slots.warming + slots.claimed + slots.quarantined,
      source: `${slots.ready} ready, ${slots.claimed} claimed, ${slots.warming} warming, ${slots.quarantined} quarantined.`,
    },
  ];
  return facts.map((fact) => ({ ...fact, binds: fact.name === bound }));
}

function slotsUnit(slots: Gauges['slots']): string {
  const parts = ['ready'];
  if (slots.warming > 0) parts.push(`${slots.warming} warming`);
  else if (slots.claimed > 0) parts.push(`${slots.claimed} claimed`);
  if (slots.quarantined > 0) parts.push(`${slots.quarantined} quarantined`);
  return parts.join(' · ');
}

const formatWait = (ms: number): string => (ms < SECOND_MS ? '0:00' : formatDuration(ms));

/** The 95th percentile of the last minute, in the gauge's own unit. */
export function p95Text(name: GaugeName): string {
  const value = percentile(
    gaugeHistory(name).map((sample) => sample.value),
    0.95,
  );
  if (value === undefined) return 'none yet';
  if (name === 'cpu') return `${Math.round(value * 100)} %`;
  return name === 'ram' ? formatBytes(value) : `${value}`;
}
