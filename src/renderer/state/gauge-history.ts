import type { Gauges } from '../../shared/domain.ts';

/** Sixty seconds of samples, outside React: sparklines draw from here. */
export const HISTORY_MS = 60_000;

export type GaugeName = 'cpu' | 'ram' | 'running' | 'queue' | 'slots';
export type Sample = { at: number; value: number };

const history: Record<GaugeName, Sample[]> = { cpu: [], ram: [], running: [], queue: [], slots: [] };
const listeners = new Set<() => void>();

const measure: Record<GaugeName, (gauges: Gauges) => number> = {
  cpu: (gauges) => gauges.cpu.usedShare,
  ram: (gauges) => gauges.ram.usedBytes,
  running: (gauges) => gauges.jobs.running,
  queue: (gauges) => gauges.queue.depth,
  slots: (gauges) => gauges.slots.ready,
};

export function recordGauges(gauges: Gauges): void {
  for (const name of Object.keys(history) as GaugeName[]) {
    const samples = history[name];
    if ((samples.at(-1)?.at ?? 0) >= gauges.at) continue;
    samples.push({ at: gauges.at, value: measure[name](gauges) });
    while (samples.length > 0 && (samples[0]?.at ?? 0) < gauges.at - HISTORY_MS) samples.shift();
  }
  for (const listener of listeners) listener();
}

export const gaugeHistory = (name: GaugeName): readonly Sample[] => history[name];

export function onGauges(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Nearest-rank percentile; undefined without samples. `share` in 0…1. */
export function percentile(values: readonly number[], share: number): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}
