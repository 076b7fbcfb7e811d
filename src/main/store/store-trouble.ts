import { HeadwayError } from '../../shared/errors.ts';
import { type Holder, holderWords } from '../processes/lock-holder.ts';

/** Why nothing can be written now. Each may pass without anything being changed here. */
export type StoreTrouble = 'disk-full' | 'read-only' | 'disk-error' | 'locked';

const WORDS: Record<StoreTrouble, string> = {
  'disk-full': 'The disk of the data directory is full. Free some space; Headway then goes on by itself.',
  'read-only': 'The data directory cannot be written. Make it writable; Headway then goes on by itself.',
  'disk-error': 'The disk of the data directory reports errors.',
  locked: 'Another program holds the database for too long.',
};

/** `holder`: who holds a database that is in use, where it is known. */
export function troubleError(trouble: StoreTrouble, cause: unknown, holder?: Holder): HeadwayError {
  const code = trouble === 'locked' ? 'busy' : 'unavailable';
  return new HeadwayError(code, holder ? heldWords(holder) : WORDS[trouble], {
    cause,
    data: { storeTrouble: trouble, retryAfterMs: 1000 },
  });
}

function heldWords(holder: Holder): string {
  const held = `The database is held by ${holderWords(holder)} for too long.`;
  return holder.suspended ? `${held} Continue it (kill -CONT ${holder.pid}) or end it.` : held;
}

/** The trouble that an error of the store tells of; undefined for every other error. */
export function storeTroubleOf(thrown: unknown): StoreTrouble | undefined {
  const trouble = thrown instanceof HeadwayError ? thrown.data?.storeTrouble : undefined;
  return typeof trouble === 'string' && trouble in WORDS ? (trouble as StoreTrouble) : undefined;
}

/** By the driver's result code; undefined where it tells of no trouble with the disk. */
export function troubleOfCode(code: string): StoreTrouble | undefined {
  if (code === 'SQLITE_FULL') return 'disk-full';
  if (code.startsWith('SQLITE_READONLY')) return 'read-only';
  return code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN' ? 'disk-error' : undefined;
}
