import { accessSync, chmodSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { makeDirectory } from '../processes/make-directory.ts';

/** Less than this, and a database can't even be opened. */
const LEAST_FREE_BYTES = 256 * 1024;

/** What a person can see to, where the driver's words ("unable to open database file") don't tell. */
function whyUnusable(directory: string, thrown: unknown): string {
  try {
    let place = directory;
    while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
    if (!statSync(place).isDirectory()) return `${place} is a file`;
    accessSync(place, constants.W_OK);
    const { bavail, blocks, bsize } = statfsSync(place);
    // What has no room at all is no disk (/proc, for instance).
    if (blocks > 0 && bavail * bsize < LEAST_FREE_BYTES) return 'its disk is full';
  } catch (found) {
    const { code } = found as NodeJS.ErrnoException;
    if (code === 'EROFS') return 'it is on a read-only file system';
    if (code === 'EACCES' || code === 'EPERM') return 'you may not write there';
  }
  return toError(thrown).message;
}

export function unusable(directory: string, thrown: unknown): HeadwayError {
  const why = whyUnusable(directory, thrown);
  return new HeadwayError(
    'unavailable',
    `The data directory ${directory} cannot be used: ${why}. Mend that, or set HEADWAY_HOME to another directory.`,
    { cause: thrown },
  );
}

const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;
/** What others than the owner may do. */
const OTHERS = 0o077;

/**
 * Makes the data directory, or mends one that others could enter: transcripts, tickets and tokens lie below it. Throws
 * `unavailable` where it belongs to somebody else. On Windows the profile's own access rights do this.
 */
export function ownDirectory(directory: string): void {
  makeDirectory(directory);
  accessSync(directory, constants.W_OK); // SQLite opens what it can only read, and says so with the first change
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(directory);
  if (uid !== user) {
    throw new HeadwayError(
      'unavailable',
      `The data directory ${directory} belongs to another user (id ${uid}, you are ${user}). Run Headway as that user, or set HEADWAY_HOME to a directory of your own.`,
    );
  }
  if ((mode & OTHERS) !== 0) chmodSync(directory, PRIVATE_DIRECTORY);
}

/** Takes what others may do from the database and the files that SQLite keeps beside it; new ones get its mode. */
export function ownDatabase(file: string): void {
  if (process.getuid === undefined) return;
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined && (mode & OTHERS) !== 0) chmodSync(path, PRIVATE_FILE);
  }
}

/** Directories beside the database that only fill while it has records of them. */
const FILLED_BESIDE = ['slots', 'transcripts'];

/**
 * An empty database file is what a first start leaves that was ended at once; beside the work of earlier runs it is one that was
 * lost. Throws `unavailable` then: 'no jobs' would be a lie.
 */
export function assertNotEmptied(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.size !== 0) return;
  const directory = dirname(file);
  const filled = FILLED_BESIDE.map((name) => join(directory, name)).find(
    (path) => existsSync(path) && readdirSync(path).length > 0,
  );
  if (filled === undefined) return;
  throw new HeadwayError(
    'unavailable',
    `${file} is empty, but ${filled} holds what earlier runs left: the records of it are lost. Put a copy of the file back; or delete the empty file to begin anew (commits that were saved stay in the mirrors below ${join(directory, 'slots')}).`,
  );
}

/** The file is there, and it is not a database that can be read. */
export const notADatabase = (file: string, thrown: unknown): HeadwayError =>
  new HeadwayError(
    'unavailable',
    `${file} is no database that can be read (${toError(thrown).message}). Put a copy of it back, or move it away to begin anew.`,
    { cause: thrown },
  );
