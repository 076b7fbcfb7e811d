import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';

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
