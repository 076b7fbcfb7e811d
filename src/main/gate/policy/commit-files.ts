import { HeadwayError } from '../../../shared/errors.ts';
import { git } from '../../git/git.ts';
import { LOCKFILE_NAMES } from '../commands/package-scripts.ts';
import { POLICY_FILE, type ReadText, type ResolvedPolicy, resolvePolicy } from './policy.ts';

type Entry = { mode: string; object: string };

/** The entries at the root of a commit's tree, by name. */
async function rootEntries(cwd: string, commit: string): Promise<Map<string, Entry>> {
  const { stdout } = await git(['ls-tree', '-z', '--full-tree', '--end-of-options', commit], { cwd });
  const entries = new Map<string, Entry>();
  for (const line of stdout.split('\0')) {
    const match = /^(\d+) \S+ (\S+)\t([\s\S]+)$/.exec(line);
    if (match) entries.set(match[3] ?? '', { mode: match[1] ?? '', object: match[2] ?? '' });
  }
  return entries;
}

/** Text of a file of a commit; undefined where the commit has no such file. */
export async function readCommitText(cwd: string, commit: string, path: string): Promise<string | undefined> {
  const { exit, stdout } = await git(['cat-file', 'blob', `${commit}:${path}`], { cwd, ok: [0, 128] });
  return exit === 0 ? stdout : undefined;
}

/**
 * The files of a commit that decide about its gate, read from git and not from a work tree. Lockfiles are only known
 * to exist. Error `bad-input` where the policy file or package.json is no regular file.
 */
export async function readCommitFiles(cwd: string, commit: string): Promise<ReadText> {
  const entries = await rootEntries(cwd, commit);
  const texts = new Map<string, string>();
  for (const name of [POLICY_FILE, 'headway.yml', 'package.json']) {
    const entry = entries.get(name);
    if (!entry) continue;
    if (!entry.mode.startsWith('100')) {
      throw new HeadwayError(
        'bad-input',
        `${name} must be a regular file in the repository, not a link or directory`,
      );
    }
    texts.set(name, (await git(['cat-file', 'blob', entry.object], { cwd })).stdout);
  }
  for (const name of LOCKFILE_NAMES) if (entries.has(name)) texts.set(name, '');
  return (path) => texts.get(path);
}

/** The policy as it stands in `commit` (of the repository or a slot at `cwd`), joined with the user's own and --gate. */
export async function policyAt(options: {
  cwd: string;
  commit: string;
  /** What `readCommitFiles` gave for the commit, where it was asked already. */
  files?: ReadText;
  userPolicy?: string;
  override?: readonly string[];
}): Promise<ResolvedPolicy> {
  const readFile = options.files ?? (await readCommitFiles(options.cwd, options.commit));
  try {
    return resolvePolicy({ readFile, userPolicy: options.userPolicy, override: options.override });
  } catch (thrown) {
    if (!(thrown instanceof HeadwayError) || thrown.data?.file !== POLICY_FILE) throw thrown;
    // A correction that is not committed on the base would be looked for in vain.
    const where = `as committed in ${options.commit.slice(0, 10)}: correct it and commit that on the base branch`;
    throw new HeadwayError(thrown.code, `${thrown.message} (${where})`, { data: thrown.data });
  }
}
