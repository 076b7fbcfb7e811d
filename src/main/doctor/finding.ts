import type { Finding } from '../../shared/doctor.ts';
import type { Facts } from './facts.ts';

/** What mends a finding. `elevated` needs root, or an administrator. */
export type FixAction =
  | { kind: 'command'; file: string; args: readonly string[]; elevated: boolean }
  /** By the elevated helper on Windows, which reads, adds and reads back. */
  | { kind: 'helper'; request: { exclude?: string; longPaths?: true } };

export type Judged = Omit<Finding, 'fix'> & { fix?: FixAction };

/** Pure: one finding over the facts; undefined where it says nothing on this platform. */
export type Judge = (facts: Facts) => Judged | undefined;

/** Pure: a command line for a person to copy. */
export function shellText(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
