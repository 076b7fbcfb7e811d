export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Under a second in ms, then m:ss, from an hour h:mm:ss. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const total = Math.floor(ms / SECOND_MS);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(total % 60)}` : `${minutes}:${pad(total % 60)}`;
}

/** A limit in its largest whole unit: `7 d`, `12 h`, `90 min`. */
export function formatAge(ms: number): string {
  if (ms >= DAY_MS && ms % DAY_MS === 0) return `${ms / DAY_MS} d`;
  return ms >= HOUR_MS && ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${Math.round(ms / MINUTE_MS)} min`;
}

/** A moment for everybody, whatever their clock is set to: `2026-01-31 09:05:07 UTC`. */
export const formatMoment = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** Reads `250ms`, `30s`, `10m`, `1.5h`, `7d`; undefined where it is none. A bare number has no unit and is refused. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)$/.exec(text.trim());
  if (!match) return undefined;
  const [, amount = '', unit = ''] = match;
  return Math.round(Number(amount) * (UNITS_MS[unit] ?? 0));
}
