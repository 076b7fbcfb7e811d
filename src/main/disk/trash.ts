import { randomUUID } from 'node:crypto';
import { type Dirent, lstatSync, unlinkSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { findMounts } from './mounts.ts';

/*
 * Removal that never crosses a link. A thing is renamed into the trash of the same volume first (fast, and atomic for
 * whoever looks at the slot), then taken apart there: first every link is unlinked, never entered, also where it is the top;
 * then it is seen that none is left; only then anything is deleted. A directory that lies deeper than a path can say is moved
 * up to the top first, so depth is no shelter. What can't be deleted keeps nothing else from going.
 */

const SEPARATOR = Buffer.from(sep);
/** Bytes of a directory's path with which every name in it can still be said; see PATH_MAX of each system. */
const LONGEST_NAME = 255;
const LONGEST_PATH = process.platform === 'darwin' ? 700 : 3_800;

const code = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException).code;
const denied = (thrown: unknown): boolean => ['EACCES', 'EPERM'].includes(code(thrown) ?? '');

/** Makes a directory ours to change; links are left alone, since chmod would follow them. */
async function open(directory: string | Buffer): Promise<void> {
  if ((await lstat(directory)).isDirectory()) await chmod(directory, 0o700);
}

/** Moves a file, directory or link into the trash; false where it does not exist. Throws where it can't be moved. */
export async function moveToTrash(path: string, trash: string): Promise<boolean> {
  const target = join(trash, randomUUID());
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(path, target);
      return true;
    } catch (thrown) {
      if (code(thrown) === 'ENOENT') {
        if (attempt > 1 || (await exists(trash))) return false;
        await mkdir(trash, { recursive: true });
      } else if (denied(thrown) && attempt < 2) {
        // A read-only directory can't be moved elsewhere, and nothing leaves a read-only parent.
        await open(dirname(path));
        await open(path).catch(() => undefined); // a file or link: its own mode does not matter
      } else throw thrown;
    }
  }
}

/**
 * Takes a thing out of a slot: a file or link at once, a directory by way of the trash. False where it does not exist;
 * throws where it can't be taken.
 */
export async function discard(path: string, trash: string): Promise<boolean> {
  try {
    if (!lstatSync(path).isDirectory()) {
      unlinkSync(path);
      return true;
    }
  } catch {
    // gone, or its directory is closed: the way below sorts it out
  }
  return moveToTrash(path, trash);
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Deletes a tree without following a link or entering what is mounted in it. Missing is fine. Works on bytes, since names need not
 * be UTF-8. Throws, and has deleted nothing but links, where one of them can't be unlinked or something is mounted.
 */
export async function deleteTree(path: string): Promise<void> {
  const found = await lstat(path).catch((thrown: unknown) => {
    if (code(thrown) !== 'ENOENT') throw thrown;
  });
  if (!found) return;
  const top = Buffer.from(path);
  if (found.isDirectory()) {
    const [mount] = await findMounts(path);
    if (mount !== undefined) throw new HeadwayError('busy', `${mount} is mounted there: unmount it`);
    await eachLink(top, top, (link) => deleteAt(link, false));
    await eachLink(top, top, async (link) => {
      throw new HeadwayError('internal', `${link.toString()} is a link and can't be unlinked`);
    });
  }
  await deleteAt(top, found.isDirectory());
}

/** Calls back for each link below a directory; enters none. What lies too deep is brought up to `top`, and visited there. */
async function eachLink(top: Buffer, from: Buffer, visit: (link: Buffer) => Promise<void>): Promise<void> {
  const waiting = [from];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = await entriesOf(directory);
    for (const entry of entries) if (entry.isSymbolicLink()) await visit(child(directory, entry.name));
    for (const entry of entries) {
      if (entry.isDirectory()) waiting.push(await withinReach(top, child(directory, entry.name)));
    }
  }
}

/** The path of a directory in the tree, after it was moved to the tree's top where its own is too long. */
async function withinReach(top: Buffer, directory: Buffer): Promise<Buffer> {
  if (directory.length <= Math.max(LONGEST_PATH, top.length + LONGEST_NAME)) return directory;
  const higher = child(top, Buffer.from(randomUUID()));
  // Its own `..` changes, so it must be ours to write, as its parent is by now.
  await open(directory);
  await rename(directory, higher);
  return higher;
}

const child = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, SEPARATOR, name]);

async function entriesOf(directory: Buffer): Promise<Dirent<Buffer>[]> {
  // Entries can't be listed in, nor leave, a directory that its owner may not enter.
  if (((await lstat(directory)).mode & 0o700) !== 0o700) await chmod(directory, 0o700);
  return readdir(directory, { withFileTypes: true, encoding: 'buffer' });
}

async function deleteAt(path: Buffer, directory: boolean): Promise<void> {
  try {
    await (directory ? deleteDirectory(path) : unlink(path));
  } catch (thrown) {
    if (code(thrown) === 'ENOENT') return;
    // Windows: a junction is a link to a directory; rmdir removes the link alone.
    if (process.platform !== 'win32' || directory) throw thrown;
    await rmdir(path);
  }
}

async function deleteDirectory(path: Buffer): Promise<void> {
  const entries = await entriesOf(path);
  const files = entries.filter((entry) => !entry.isDirectory());
  const ends = await Promise.allSettled(files.map((entry) => deleteAt(child(path, entry.name), false)));
  for (const entry of entries) {
    if (entry.isDirectory())
      ends.push(...(await Promise.allSettled([deleteAt(child(path, entry.name), true)])));
  }
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  await rmdir(path);
}

/** What stays in a trash directory, and why. */
export type LeftInTrash = { path: string; why: string };

/** Empties a trash directory as far as it goes; what stays (held open, denied) is tried again next time. */
export async function emptyTrash(trash: string): Promise<LeftInTrash[]> {
  const names = await readdir(trash).catch(() => [] as string[]);
  const left: LeftInTrash[] = [];
  for (const name of names) {
    const path = join(trash, name);
    await deleteTree(path).catch((thrown: unknown) => left.push({ path, why: whyNotDeleted(thrown) }));
  }
  return left;
}

function whyNotDeleted(thrown: unknown): string {
  const { path } = thrown as NodeJS.ErrnoException;
  const name = path === undefined ? 'it' : String(path);
  if (denied(thrown))
    return `${name} can't be deleted: immutable (lsattr shows it, chattr -i frees it) or somebody else's`;
  if (code(thrown) === 'EROFS') return `${name} can't be deleted: it is mounted read-only`;
  return toError(thrown).message;
}
