import { STAGES } from '../../../../../shared/domain.ts';
import type { Line } from '../headway.ts';

/** Where a run is killed: some time after its start, or some time after it first says something. */
export type KillPoint = { afterMs: number; on?: { ticket: string; where: string } };

export type Random = () => number;

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

/** A start takes about this long; a whole round not much longer than twice that. */
const SPAN_MS = 3_500;
/** Landing and recording it, a reset, a hand-out: each fits into this. */
const AFTER_EVENT_MS = 150;

/** Half of the points by time alone, half by an event of the stream; merges count double, because there most is at stake. */
export function nextKill(random: Random, tickets: readonly string[]): KillPoint {
  if (random() < 0.5) return { afterMs: Math.floor(random() * SPAN_MS) };
  const where = pick(random, [...STAGES, 'merge', 'merge', 'queued', 'merged']);
  return {
    afterMs: Math.floor(random() ** 2 * AFTER_EVENT_MS),
    on: { ticket: pick(random, tickets), where },
  };
}

/** Where a line of the stream says that a job is: its stage while it runs, else its state. */
export function placeOf(line: Line): { ticket: string; where: string } | undefined {
  if (line.type !== 'job') return undefined;
  const { ticket, state, stage } = line as { ticket: string; state: string; stage: string | null };
  return { ticket, where: state === 'running' ? (stage ?? 'running') : state };
}
