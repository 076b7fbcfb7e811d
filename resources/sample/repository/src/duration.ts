/** Units and their length in milliseconds, longest first. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Reads `1h 30m` or `250ms` as milliseconds; undefined where it is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = text.trim().match(/\d+\s*[a-z]+/g) ?? [];
  if (parts.length === 0 || parts.join('').replace(/\s/g, '') !== text.replace(/\s/g, '')) return undefined;
  let total = 0;
  for (const part of parts) {
    const [, amount = '', unit = ''] = /^(\d+)\s*([a-z]+)$/.exec(part) ?? [];
    const ms = UNITS.find(([name]) => name === unit)?.[1];
    if (ms === undefined) return undefined;
    total += Number(amount) * ms;
  }
  return total;
}

/** Writes milliseconds with the fewest units: `1h 30m`. Fractions are cut. */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.trunc(ms);
  for (const [unit, length] of UNITS) {
    const amount = Math.floor(rest / length);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * length;
  }
  return parts.length === 0 ? '0ms' : parts.join(' ');
}
