import { createHash } from 'node:crypto';

/** Who did what to which repository. Times are milliseconds since 1970. */
export type AuditEntry = {
  at: number;
  /** The name of the user, or `headway` for what a runner does by itself. */
  who: string;
  /** By which door: `command line`, `window`, `page`, `http`, or `runner`. */
  via: string;
  action: string;
  repoId?: string | undefined;
  jobId?: string | undefined;
  /** What it was done to, in words: a ticket, a slot, a setting. */
  subject: string;
  text: string;
};

/** An entry in its place: each holds the hash of the one before, so that none can be changed or taken out unseen. */
export type AuditRow = AuditEntry & { seq: number; previous: string; hash: string };

/** What the first row holds in place of a hash before it. */
export const FIRST = '0'.repeat(64);

/** The hash of an entry in its place. */
export function chainHash(seq: number, previous: string, entry: AuditEntry): string {
  const { at, who, via, action, repoId, jobId, subject, text } = entry;
  const fields = [seq, previous, at, who, via, action, repoId ?? null, jobId ?? null, subject, text];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/**
 * Checks all rows, the oldest first, against each other and against the number of rows that were ever written. Returns
 * what is wrong in words; undefined: nothing.
 */
export function findTampering(rows: readonly AuditRow[], written: number): string | undefined {
  let previous = FIRST;
  let seq = 0;
  for (const row of rows) {
    seq += 1;
    if (row.seq !== seq) return `entry ${seq} is missing`;
    if (row.previous !== previous) return `entry ${seq} does not follow the one before it`;
    if (row.hash !== chainHash(seq, previous, row)) return `entry ${seq} was changed`;
    previous = row.hash;
  }
  return seq === written ? undefined : `${written} entries were written, and ${seq} are here`;
}
