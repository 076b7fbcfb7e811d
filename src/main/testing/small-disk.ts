/*
 * A disk of a few megabytes that only one process and its children see: a tmpfs in a mount namespace of its own, so that
 * nothing is left mounted whatever becomes of the test. Linux.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command that starts `command` where `dir` is such a disk. */
export function onSmallDisk(
  dir: string,
  options: { megabytes: number; readOnly?: boolean },
  command: readonly string[],
): readonly string[] {
  mkdirSync(dir, { recursive: true });
  const mount = `mount -t tmpfs -o size=${options.megabytes}m${options.readOnly ? ',ro' : ''} headway "$0"`;
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', `${mount} && exec "$@"`, dir, ...command];
}

/** A command that starts `command` where `dir` is as it is and cannot be written. */
export function onReadOnlyDisk(dir: string, command: readonly string[]): readonly string[] {
  const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', `${mount} && exec "$@"`, dir, ...command];
}

const ballastOf = (pid: number, dir: string): string => join(`/proc/${pid}/root`, dir, 'ballast');

/** Leaves no byte free on the disk that the process sees at `dir`. */
export function fillDisk(pid: number, dir: string): void {
  const ballast = ballastOf(pid, dir);
  for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 4)) {
    for (;;) {
      try {
        writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
        break;
      }
    }
  }
}

export function freeDisk(pid: number, dir: string): void {
  rmSync(ballastOf(pid, dir));
}
