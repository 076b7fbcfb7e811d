/** A wall clock's time; months count from 1. */
export type WallTime = { year: number; month: number; day: number; hour: number; minute: number };

const HOUR_MS = 3_600_000;

/** What a wall clock in this zone shows then; of this machine where none is named. */
export function wallTimeAt(atMs: number, zone?: string): WallTime {
  const parts = formatOf(zone).formatToParts(atMs);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
  };
}

/** When a wall clock in this zone shows this. Of an hour that comes twice the first; one that is left out counts as the next. */
export function timeOf(wall: WallTime, zone?: string): number {
  const asUtc = utcOf(wall);
  // The zone's distance from UTC may change between the guess and the answer: look from both sides.
  const guesses = [asUtc - 14 * HOUR_MS, asUtc + 14 * HOUR_MS].map((atMs) => asUtc - distanceMs(atMs, zone));
  return guesses.find((atMs) => utcOf(wallTimeAt(atMs, zone)) === asUtc) ?? Math.max(...guesses);
}

export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

const utcOf = ({ year, month, day, hour, minute }: WallTime): number =>
  Date.UTC(year, month - 1, day, hour, minute);

/** How far the zone's clock is ahead of UTC then. */
const distanceMs = (atMs: number, zone?: string): number =>
  utcOf(wallTimeAt(atMs, zone)) - Math.floor(atMs / 60_000) * 60_000;

function formatOf(zone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    ...(zone === undefined ? {} : { timeZone: zone }),
  });
}
