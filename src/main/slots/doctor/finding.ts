import type { Finding } from '../../../shared/doctor.ts';
import type { Facts } from './facts.ts';

/** What mends a finding. `elevated` needs root, or an administrator. */
export type FixAction =
  | { kind: 'command'; file: string; args: readonly string[]; elevated: boolean }
  /** By the elevated helper on Windows, which reads, adds and reads back. */
  | { kind: 'helper'; request: { exclude?: string; longPaths?: true } };

export type Judged = Omit<Finding, 'fix'> & { fix?: FixAction };

/** Pure: one finding over the facts; undefined where it says nothing on this platform. */
export type Judge = (facts: Facts) => Judged | undefined;

/** Pure: a size as people read it. */
export function bytesText(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 10
    ? `${Math.round(gib)} GiB`
    : gib >= 1
      ? `${gib.toFixed(1)} GiB`
      : `${Math.round(bytes / 1024 ** 2)} MiB`;
}

/** Pure: a command line for a person to copy. */
export function shellText(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
