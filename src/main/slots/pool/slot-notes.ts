import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Repository } from '../../../shared/domain.ts';
import { git } from '../../git/git.ts';

const HOOKS = ['pre-commit', 'commit-msg', 'prepare-commit-msg', 'pre-push', 'post-checkout', 'post-commit'];

const setting = async (clone: string, key: string): Promise<string> =>
  (await git(['config', '--get', key], { cwd: clone, ok: [0, 1], hooks: true })).stdout.trim();

/**
 * What a person should know about jobs in slots of this repository: hooks of the clone that do not run there, files that
 * the clone hides.
 */
export async function repositoryNotes(repository: Repository): Promise<string[]> {
  const notes: string[] = [];
  // Asked without the setting that switches hooks off for our own commands.
  const hooksPath = await setting(repository.path, 'core.hooksPath');
  const directory =
    hooksPath === ''
      ? join(repository.gitDir, 'hooks')
      : isAbsolute(hooksPath)
        ? hooksPath
        : join(repository.path, hooksPath);
  const present = await readdir(directory).catch(() => [] as string[]);
  const hooks = HOOKS.filter((name) => present.includes(name));
  if (hooks.length > 0) {
    notes.push(
      `hooks of your clone do not run in slots (${hooks.join(', ')} in ${hooksPath || '.git/hooks'}): commits made there are not checked by them`,
    );
  }
  if ((await setting(repository.path, 'core.sparseCheckout')) === 'true') {
    notes.push('your clone is a sparse checkout; slots hold all files of the commit');
  }
  return notes;
}
