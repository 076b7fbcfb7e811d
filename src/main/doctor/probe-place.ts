import { constants } from 'node:fs';
import { copyFile, link, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toError } from '../../shared/errors.ts';
import { type Answer, known, unknown } from './answer.ts';
import type { Exec } from './exec.ts';
import type { Facts, Space } from './facts.ts';
import { reflinkError } from './parse-posix.ts';

type Tried = Pick<Facts, 'caseSensitive' | 'hardLinks' | 'reflinks' | 'executable'>;

export async function readSpace(root: string): Promise<Answer<Space>> {
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(root);
    return known({
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      ...(files > 0 ? { inodes: { free: ffree, total: files } } : {}),
    });
  } catch (thrown) {
    return unknown(toError(thrown).message);
  }
}

const codeOf = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException).code;

/** What a file system can do, found by doing it in a directory of our own that is removed at once. */
export async function tryPlace(root: string, exec: Exec): Promise<Tried> {
  let dir: string;
  try {
    dir = await mkdtemp(join(root, '.doctor-'));
  } catch (thrown) {
    const why = unknown(`nothing can be written there: ${toError(thrown).message}`);
    return { caseSensitive: why, hardLinks: why, reflinks: why, executable: why };
  }
  try {
    const file = join(dir, 'Probe');
    await writeFile(file, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    return {
      caseSensitive: await tryCase(dir),
      hardLinks: await tryLink(file, join(dir, 'link')),
      reflinks: await tryReflink(file, join(dir, 'clone')),
      executable: await tryExecute(file, exec),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function tryCase(dir: string): Promise<Answer<boolean>> {
  try {
    await stat(join(dir, 'pROBE'));
    return known(false);
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT' ? known(true) : unknown(toError(thrown).message);
  }
}

async function tryLink(file: string, to: string): Promise<Answer<boolean>> {
  try {
    await link(file, to);
    return known(true);
  } catch (thrown) {
    const refused = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'].includes(codeOf(thrown) ?? '');
    return refused ? known(false) : unknown(toError(thrown).message);
  }
}

async function tryReflink(file: string, to: string): Promise<Answer<boolean>> {
  if (process.platform === 'win32') return unknown('Node has no way to ask for one on Windows');
  try {
    await copyFile(file, to, constants.COPYFILE_FICLONE_FORCE);
    return known(true);
  } catch (thrown) {
    return reflinkError(codeOf(thrown)) === false ? known(false) : unknown(toError(thrown).message);
  }
}

async function tryExecute(file: string, exec: Exec): Promise<Answer<boolean>> {
  if (process.platform === 'win32') return known(true);
  const result = await exec('/bin/sh', ['-c', '"$1"', 'sh', file]);
  if (!result) return unknown('there is no /bin/sh to try it with');
  // What a shell says where it may not start a file.
  return result.exit === 126 ? known(false) : result.exit === 0 ? known(true) : unknown(result.stderr.trim());
}
