import { changedFiles } from '../../git/changed-files.ts';
import { git } from '../../git/git.ts';
import { readBlobs } from '../../git/read-blobs.ts';
import { matchesAny } from '../../paths/globs.ts';
import { isLockfile } from '../lockfile/lockfile-tampering.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import { builtinThread } from '../thread/builtin-thread.ts';
import { isTestFile } from './gate-files.ts';
import { gateParts } from './gate-parts.ts';
import { ignoresTracked } from './ignored-files.ts';
import { addedSuppressions, MAY_SUPPRESS } from './suppressions.ts';
import { gateDefiningChanges, needsText } from './tampering.ts';
import { fewerTests } from './test-count.ts';

const isIgnoreFile = (path: string): boolean => /(^|\/)\.gitignore$/.test(path);

/** What is judged by its text at either side. */
const hasText = (path: string): boolean =>
  needsText(path) || isLockfile(path) || isIgnoreFile(path) || isTestFile(path);

const manifestBeside = (path: string): string => path.replace(/[^/]*$/, 'package.json');

/** The files between two commits that define the gate itself (see `gateDefiningChanges`), read from git at `cwd`. */
export async function tamperedFiles(options: {
  cwd: string;
  base: string;
  head: string;
  /** As resolved at `base`. */
  policy: Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts' | 'generated'>;
}): Promise<string[]> {
  const { cwd, base, head, policy } = options;
  const changed = await changedFiles({ cwd, base, head });
  const judged = changed.filter(({ path }) => hasText(path)).map(({ path }) => path);
  const texts = await readBlobs(
    cwd,
    judged.flatMap((path) => [`${base}:${path}`, `${head}:${path}`]),
  );
  const before = (path: string): string | undefined => texts.get(`${base}:${path}`);
  const after = (path: string): string | undefined => texts.get(`${head}:${path}`);
  const lockfiles = changed.flatMap(({ path }) =>
    isLockfile(path)
      ? { path, before: before(path), after: after(path), manifest: after(manifestBeside(path)) }
      : [],
  );
  // Large ones take a second to read.
  const pinned = lockfiles.length > 0 ? await builtinThread.ask('lockfiles', lockfiles) : [];
  const { files, modules, named } = await gateParts({ cwd, commit: base, policy });
  const directories = new Set(
    [...files.keys()].flatMap((path) => {
      const parts = path.split('/').slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
  const defining = gateDefiningChanges(changed, before, after, policy, {
    modules,
    named,
    isNew: (dir) => dir !== '' && !directories.has(dir),
  });
  const added = new Set(changed.filter(({ change }) => change === 'added').map(({ path }) => path));
  const tracked = [...files.keys(), ...added];
  const ignoring = changed.flatMap(({ path }) =>
    isIgnoreFile(path) && ignoresTracked(path, before(path), after(path), tracked) ? path : [],
  );
  const lost = fewerTests(
    changed.map(({ path }) => path),
    before,
    after,
  );
  const { stdout: patch } = await git(
    [
      ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--unified=0', '--text'],
      ...['--src-prefix=a/', '--dst-prefix=b/', '-G', MAY_SUPPRESS, base, head, '--'],
    ],
    { cwd },
  );
  const hidden = addedSuppressions(patch, (path) => added.has(path)).filter(
    (path) => !(added.has(path) && matchesAny(path, policy.generated)),
  );
  return [...new Set([...defining, ...pinned, ...hidden, ...ignoring, ...lost])].sort();
}
