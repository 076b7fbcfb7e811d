import type { Inspection, Repository } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import { managerOf, parsePackage } from '../gate/commands/package-scripts.ts';
import { policyAt, readCommitFiles, readCommitText } from '../gate/policy/commit-files.ts';
import { git, gitLine, resolveCommit } from '../git/git.ts';
import { isPartialClone } from '../git/partial-clone.ts';
import { checkoutsOf, workOf } from '../landing/user-checkout.ts';
import { listBranches, staleBase } from './base-branch.ts';

const several = (files: readonly string[]): string =>
  files.length <= 3 ? files.join(', ') : `${files.slice(0, 3).join(', ')} and ${files.length - 3} more`;

async function notesOn(path: string, base: string, commit: string): Promise<string[]> {
  const stale = await staleBase(path, base);
  const notes: string[] = stale === undefined ? [] : [stale];
  if ((await readCommitText(path, commit, '.gitmodules')) !== undefined) {
    notes.push(
      'it has submodules: slots fill them from your clone where it has them; what an agent changes inside them does not land',
    );
  }
  if (/\bfilter=lfs\b/.test((await readCommitText(path, commit, '.gitattributes')) ?? '')) {
    const lfs = await git(['lfs', 'version'], { cwd: path, ok: [0, 1] });
    notes.push(
      lfs.exit === 0
        ? 'it uses Git LFS'
        : 'it uses Git LFS, but git-lfs is not installed: slots would hold pointers instead of files',
    );
  }
  if ((await gitLine(['rev-parse', '--is-shallow-repository'], { cwd: path })) === 'true') {
    notes.push('it is a shallow clone: older history is not there (git fetch --unshallow)');
  }
  const config = (key: string): Promise<string> =>
    git(['config', '--get', key], { cwd: path, ok: [0, 1] }).then(({ stdout }) => stdout.trim());
  if ((await config('core.sparseCheckout')) === 'true') {
    notes.push('it is a sparse checkout: slots hold all files');
  }
  if (await isPartialClone(path)) {
    notes.push('it is a partial clone: what its history lacks is fetched from its remote once');
  }
  for (const checkout of await checkoutsOf(path, base)) {
    const files = await workOf(checkout);
    if (files.length > 0) {
      notes.push(
        `${checkout.path} has uncommitted work on ${base} (${several(files)}): merges wait until it is committed or stashed`,
      );
    }
  }
  return notes;
}

/**
 * Looks at a repository as it stands at the tip of its base branch; reads commits, never the work tree. Errors
 * `bad-input`: the base has no commit, or its policy can't be read.
 */
export async function inspect(options: {
  repository: Pick<Repository, 'path' | 'name' | 'base' | 'trustedHash'>;
  /** Text of the user's own policy for it. */
  userPolicy?: string;
  /** Commands of --gate. */
  override?: readonly string[];
  /** Notes of `identify`. */
  notes?: readonly string[];
}): Promise<Inspection> {
  const { path, name, base, trustedHash } = options.repository;
  const commit = await resolveCommit(path, `refs/heads/${base}`);
  if (commit === undefined)
    throw new HeadwayError('bad-input', `${path} has no branch ${base}; choose one with --base`);
  const files = await readCommitFiles(path, commit);
  const [policy, branches, notes] = await Promise.all([
    policyAt({ cwd: path, commit, files, userPolicy: options.userPolicy, override: options.override }),
    listBranches(path),
    notesOn(path, base, commit),
  ]);
  const packageText = files('package.json');
  const { manager, lockfile } = managerOf(
    (file) => files(file) !== undefined,
    packageText === undefined ? undefined : parsePackage(packageText),
  );
  return {
    path,
    name,
    base,
    branches,
    manager,
    lockfile,
    setup: policy.setup,
    gate: policy.gate,
    gateSource: policy.source,
    commandsHash: policy.hash,
    trusted: trustedHash === policy.hash,
    notes: [...(options.notes ?? []), ...notes, ...policy.notes],
  };
}
