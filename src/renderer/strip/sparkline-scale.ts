import { HISTORY_MS, type Sample } from '../state/gauge-history.ts';

export type Point = { x: number; y: number };

/**
 * Samples of the last minute as points in a box, newest at the right edge, the limit (or the largest value, where there
 * is none) at the top. A gap of time stays a gap: x follows the clock, not the index.
 */
export function sparklinePoints(
  samples: readonly Sample[],
  now: number,
  size: { widthPx: number; heightPx: number },
  limit: number | undefined,
): readonly Point[] {
  const top = Math.max(limit ?? 0, ...samples.map((sample) => sample.value), Number.EPSILON);
  return samples
    .filter((sample) => sample.at > now - HISTORY_MS && sample.at <= now)
    .map((sample) => ({
      x: (1 - (now - sample.at) / HISTORY_MS) * size.widthPx,
      y: (1 - Math.max(0, sample.value) / top) * size.heightPx,
    }));
}
