import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadwayError } from '../../../shared/errors.ts';
import { git } from '../../git/git.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import type { Mirror } from '../mirror/mirror.ts';

/*
 * Files in Git LFS need a filter. Where none is set up, git checks out pointer files without a word: such a slot is
 * refused instead.
 */

/** Throws `unavailable` where no LFS filter is set up; `clone` is where the user's settings are read. */
async function assertFilterSetUp(clone: string): Promise<void> {
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

/** Looks into every attributes file of a commit. */
export async function assertFilters(clone: string, mirror: Mirror, commit: string): Promise<void> {
  const { exit } = await git(
    ['grep', '-q', '-E', 'filter=lfs', commit, '--', '.gitattributes', ':(glob)**/.gitattributes'],
    { cwd: mirror.path, ok: [0, 1] },
  );
  if (exit === 0) await assertFilterSetUp(clone);
}

/** The same for a tree that is checked out, at the price of one small file: the attributes at its top. */
export async function assertFiltersOfTree(clone: string, place: SlotPlace): Promise<void> {
  let attributes = '';
  try {
    attributes = readFileSync(join(place.path, '.gitattributes'), 'utf8');
  } catch {
    // no attributes
  }
  if (attributes.includes('filter=lfs')) await assertFilterSetUp(clone);
}
