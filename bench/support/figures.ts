/** The middle value; of an even number the upper of the two. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Prints whether a target was met, and makes the process fail where it was not. */
export function verdict(name: string, met: boolean): void {
  console.log(`target ${name}: ${met ? 'met' : 'MISSED'}`);
  if (!met) process.exitCode = 1;
}
