import { join } from 'node:path';
import { type Answer, known, unknown } from './answer.ts';
import type { Exec } from './exec.ts';
import type { Facts, FileSystem } from './facts.ts';
import { parseFsutil, parseProbe, type WindowsProbe, windowsFacts } from './parse-windows.ts';
import { encodeScript, POWERSHELL_FLAGS, PROBE_SCRIPT, ROOT_VARIABLE } from './windows-scripts.ts';

/** WMI hangs on some machines, and PowerShell compiles a little. */
const PROBE_LIMIT_MS = 30_000;

/** A program of the system by its full path, so that nothing on the PATH can stand in for it. */
function systemProgram(...parts: string[]): string {
  return join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', ...parts);
}

export const powershell = (): string => systemProgram('WindowsPowerShell', 'v1.0', 'powershell.exe');

/** What only Windows is asked: one process for all of it, changing nothing and without an administrator. */
export async function collectWindows(
  root: string,
  exec: Exec,
): Promise<Pick<Facts, 'fileSystem' | 'windows'>> {
  const [answer, longPaths] = await Promise.all([
    exec(powershell(), [...POWERSHELL_FLAGS, encodeScript(PROBE_SCRIPT)], {
      env: { [ROOT_VARIABLE]: root },
      timeoutMs: PROBE_LIMIT_MS,
    }),
    exec('git', ['config', '--get', '--type=bool', 'core.longPaths'], { cwd: root }),
  ]);
  const probe = answer && parseProbe(answer.stdout);
  const facts = windowsFacts(probe, root, gitLongPaths(longPaths));
  // Second best: in words, and for administrators only.
  if (!facts.devDrive.known && probe?.elevated === true) {
    const told = await exec(systemProgram('fsutil.exe'), ['devdrv', 'query', root.slice(0, 2)]);
    if (told) facts.devDrive = parseFsutil(told.stdout);
  }
  return { fileSystem: volumeOf(probe, root), windows: facts };
}

/** Pure: `git config --get` ends with 1 where nothing is set. */
function gitLongPaths(result: { exit: number; stdout: string } | undefined): Answer<boolean> {
  if (!result) return unknown('git was not found');
  if (result.exit === 1) return known(false);
  return result.exit === 0 ? known(result.stdout.trim() === 'true') : unknown("git's settings can't be read");
}

const NETWORK_DRIVE = 4;

/** Pure: the volume in the words that other platforms use. */
function volumeOf(probe: WindowsProbe | undefined, root: string): Answer<FileSystem> {
  const vol = probe?.vol;
  if (!vol?.fs && vol?.driveType !== NETWORK_DRIVE) return unknown('Windows does not tell what volume it is');
  const type = vol.driveType === NETWORK_DRIVE ? 'network drive' : (vol.fs ?? '');
  return known({ type, mountPoint: root.slice(0, 3), source: '', options: [] });
}
