import { HeadwayError } from '../../shared/errors.ts';
import { git } from '../git/git.ts';
import type { Mirror } from './mirror.ts';

/**
 * Throws `unavailable` where the commit keeps files in Git LFS but no filter is set up: git would then check out
 * pointer files without a word. `clone`: where the user's settings are read.
 */
export async function assertFilters(clone: string, mirror: Mirror, commit: string): Promise<void> {
  const { exit } = await git(
    ['grep', '-q', '-E', 'filter=lfs', commit, '--', '.gitattributes', ':(glob)**/.gitattributes'],
    { cwd: mirror.path, ok: [0, 1] },
  );
  if (exit !== 0) return;
  const filter = await git(['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$'], {
    cwd: clone,
    ok: [0, 1],
  });
  if (filter.exit === 0) return;
  throw new HeadwayError(
    'unavailable',
    'the repository keeps files in Git LFS, but git-lfs is not set up here: install git-lfs and run "git lfs install"',
  );
}
