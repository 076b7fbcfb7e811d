const STEPS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Binary units, one decimal from MB on: `9.1 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${step < 2 ? Math.round(value) : value.toFixed(1)} ${STEPS[step]}`;
}

/** Reads `40GB`, `1.5 TB`, `512 mb` in binary units; undefined where it is none. A bare number has no unit and is refused. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b$/i.exec(text.trim());
  if (!match) return undefined;
  const [, amount = '', prefix = ''] = match;
  return Math.round(Number(amount) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf(prefix.toLowerCase()));
}
