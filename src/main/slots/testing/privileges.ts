import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this machine lets a test make files that not even their owner can change. */
export const canSetImmutable = (): boolean => can(': > x; chattr +i x; chattr -i x');

/** Whether a test may mount one directory in another. */
export const canMount = (): boolean => can('mkdir a b; mount --bind a b; umount b');

function can(script: string): boolean {
  if (process.platform !== 'linux') return false;
  const directory = mkdtempSync(join(tmpdir(), 'headway-privileges-'));
  try {
    execFileSync('/bin/sh', ['-ec', script], { cwd: directory, stdio: 'ignore' });
    return true;
  } catch {
    return false; // no such file system, or not allowed
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
