import { readFile } from 'node:fs/promises';
import { type Answer, known, unknown } from './answer.ts';
import type { Exec } from './exec.ts';
import type { Facts } from './facts.ts';
import { parseCount, parseFindmnt, parseMountInfo } from './parse-posix.ts';

const INOTIFY = '/proc/sys/fs/inotify';

/** What only Linux is asked. */
export async function collectLinux(root: string, exec: Exec): Promise<Pick<Facts, 'fileSystem' | 'linux'>> {
  const found = await exec('findmnt', ['-J', '-T', root, '-o', 'TARGET,SOURCE,FSTYPE,OPTIONS']);
  const fileSystem =
    (found?.exit === 0 ? parseFindmnt(found.stdout) : undefined) ??
    parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''), root);
  return {
    fileSystem: fileSystem ? known(fileSystem) : unknown('neither findmnt nor /proc/self/mountinfo tells'),
    linux: {
      maxWatches: await readCount(`${INOTIFY}/max_user_watches`),
      maxInstances: await readCount(`${INOTIFY}/max_user_instances`),
    },
  };
}

async function readCount(path: string): Promise<Answer<number>> {
  const count = parseCount(await readFile(path, 'utf8').catch(() => ''));
  return count === undefined ? unknown(`${path} can't be read`) : known(count);
}
