import type { Exec } from './exec.ts';
import { type FixAction, shellText } from './finding.ts';
import { type FixOutcome, runHelper } from './windows-helper.ts';

/** Who Headway runs as: what needs an administrator is started only where it already is one, or by Windows' own prompt. */
export type Powers = { platform: string; root: boolean };

export const ownPowers = (): Powers => ({ platform: process.platform, root: process.getuid?.() === 0 });

/** Pure: true where Headway can start it. */
export function isStartable(fix: FixAction, powers: Powers): boolean {
  return fix.kind === 'helper' || !fix.elevated || (powers.platform !== 'win32' && powers.root);
}

/** Pure: as a person would type it. */
export function fixText(id: string, fix: FixAction, powers: Powers): string {
  if (fix.kind === 'helper') return `headway slots doctor --fix ${id}`;
  const words = [fix.file, ...fix.args];
  if (powers.platform === 'win32') return words.join(' ');
  return shellText(fix.elevated && !powers.root ? ['sudo', ...words] : words);
}

/** Does it and tells what came of it; whether it helped is for the next examination to find. */
export async function startFix(id: string, fix: FixAction, powers: Powers, exec: Exec): Promise<FixOutcome> {
  if (fix.kind === 'helper') return runHelper(fix.request, exec);
  const command = fixText(id, fix, powers);
  if (!isStartable(fix, powers)) {
    const who = powers.platform === 'win32' ? 'in a terminal that was opened as administrator' : 'yourself';
    return { done: false, text: `it needs an administrator; run this ${who}: ${command}` };
  }
  const result = await exec(fix.file, fix.args, { timeoutMs: 60_000 });
  if (!result) return { done: false, text: `${fix.file} is missing, or did not end: ${command}` };
  if (result.exit === 0) return { done: true, text: `ran ${command}` };
  const words = (result.stderr || result.stdout).trim().split('\n')[0] ?? '';
  return { done: false, text: `${command} ended with ${result.exit}: ${words}` };
}
