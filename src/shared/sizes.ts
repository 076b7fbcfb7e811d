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
