const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Writes a size in bytes with a binary unit and at most one decimal: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${UNITS[unit]}`;
}
