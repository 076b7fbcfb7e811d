import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this machine lets a test make files that not even their owner can change. */
export function canSetImmutable(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'headway-chattr-'));
  try {
    const script = ': > x; chattr +i x; chattr -i x';
    execFileSync('/bin/sh', ['-ec', script], { cwd: directory, stdio: 'ignore' });
    return true;
  } catch {
    return false; // no such file system, or not allowed
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
