import { git } from '../git/git.ts';
import { changedFiles } from '../merge/changed-files.ts';
import { readCommitText } from './commit-files.ts';
import { gateModules } from './gate-modules.ts';
import { isLockfile } from './lockfile/lockfile-tampering.ts';
import type { ResolvedPolicy } from './policy.ts';
import { addedSuppressions, MAY_SUPPRESS } from './suppressions.ts';
import { gateDefiningChanges, gatePrograms, needsText } from './tampering.ts';

/** The files between two commits that define the gate itself (see `gateDefiningChanges`), read from git at `cwd`. */
export async function tamperedFiles(options: {
  cwd: string;
  base: string;
  head: string;
  /** As resolved at `base`. */
  policy: Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts'>;
}): Promise<string[]> {
  const { cwd, base, head, policy } = options;
  const changed = await changedFiles({ cwd, base, head });
  const before = new Map<string, string | undefined>();
  const after = new Map<string, string | undefined>();
  for (const { path } of changed.filter((file) => needsText(file.path) || isLockfile(file.path))) {
    before.set(path, await readCommitText(cwd, base, path));
    after.set(path, await readCommitText(cwd, head, path));
  }
  const modules = await gateModules(gatePrograms(policy), (path) => readCommitText(cwd, base, path));
  const { stdout: listed } = await git(['ls-tree', '-r', '-d', '-z', '--name-only', '--full-tree', base], {
    cwd,
  });
  const directories = new Set(listed.split('\0'));
  const defining = gateDefiningChanges(
    changed,
    (path) => before.get(path),
    (path) => after.get(path),
    policy,
    { modules, isNew: (dir) => dir !== '' && !directories.has(dir) },
  );
  const { stdout: patch } = await git(
    [
      ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--unified=0'],
      ...['--src-prefix=a/', '--dst-prefix=b/', '-G', MAY_SUPPRESS, base, head, '--'],
    ],
    { cwd },
  );
  // New tests may be skipped as their author likes; tests that ran before may not.
  const added = new Set(changed.filter(({ change }) => change === 'added').map(({ path }) => path));
  const hidden = addedSuppressions(patch).filter((path) => !added.has(path));
  return [...new Set([...defining, ...hidden])].sort();
}
