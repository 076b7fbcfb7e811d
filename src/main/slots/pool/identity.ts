import { chmod, lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlotPlace } from '../../paths/layout.ts';

/*
 * A directory of a slot's name may have been made by hand after the slot's own was removed. It is told apart by its
 * inode and its time of birth, written down when the slot was made.
 */

const file = (place: SlotPlace): string => join(place.state, 'identity');

async function identityOf(path: string, withBirth: boolean): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isDirectory()) return undefined;
  return withBirth ? `${found.ino} ${found.birthtimeNs}` : `${found.ino}`;
}

/** Writes down which directory is the slot's. Call it right after making the directory. */
export async function rememberIdentity(place: SlotPlace): Promise<void> {
  const before = await identityOf(place.path, true);
  // Where a file system knows no birth, another time stands in that changes: then the inode alone must do.
  await chmod(place.path, 0o750);
  await chmod(place.path, 0o755);
  const reliable = before === (await identityOf(place.path, true));
  await writeFile(file(place), (await identityOf(place.path, reliable)) ?? '');
}

/** True where the slot's directory is there and is the one that Headway made. */
export async function isOwn(place: SlotPlace): Promise<boolean> {
  const known = await readFile(file(place), 'utf8').catch(() => '');
  return known !== '' && known === (await identityOf(place.path, known.includes(' ')));
}
