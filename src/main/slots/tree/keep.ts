import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HeadwayError } from '../../../shared/errors.ts';
import { moveToTrash } from '../../disk/trash.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';
import { adoptCommit } from '../mirror/mirror.ts';
import { disarm, freshGitDirectory, provenCommit, provenIndex } from './git-directory.ts';
import { slotGit, slotLine, slotList } from './slot-git.ts';
import { submodulePaths } from './submodules.ts';

const KEPT_REFS = 'refs/headway/kept/';

/** More files than this in one nested repository are build output, not work. */
const NESTED_FILES_MAX = 20_000;
const TIPS_MAX = 64;

/** Files of a directory that git itself would not enter because it is a repository of its own. */
async function nestedFiles(root: string, directory: string, found: string[]): Promise<string[]> {
  for (const entry of await readdir(join(root, directory), { withFileTypes: true })) {
    if (entry.name === '.git' || entry.name === 'node_modules') continue;
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) await nestedFiles(root, path, found);
    else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
    if (found.length > NESTED_FILES_MAX) {
      throw new HeadwayError('internal', `${directory} holds more than ${NESTED_FILES_MAX} files`);
    }
  }
  return found;
}

async function workFiles(place: SlotPlace, env: Record<string, string>): Promise<string[]> {
  const listed = await slotList(
    place,
    ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'],
    { env },
  );
  const files = new Set<string>();
  for (const path of listed) {
    if (path.endsWith('/')) {
      for (const file of await nestedFiles(place.path, path.slice(0, -1), [])) files.add(file);
    } else files.add(path);
  }
  return [...files];
}

/**
 * Submodules with commits, changes or files of their own. Found by the slot's own settings and objects alone: a git inside
 * the submodule would go by settings that are the job's.
 */
async function workedSubmodules(place: SlotPlace, env: Record<string, string>): Promise<string[]> {
  const filled = submodulePaths(place).filter(
    (path) => parentsAreReal(place, path) && existsSync(join(place.path, path, '.git')),
  );
  if (filled.length === 0) return [];
  const rows = await slotList(place, ['ls-files', '-z', '--stage', '--', ...filled.map(literal)], { env });
  const moved = new Set(await slotList(place, ['ls-files', '-z', '--modified'], { env }));
  const worked: string[] = [];
  for (const path of filled) {
    const link = rows.find((row) => row.startsWith('160000 ') && row.endsWith(`\t${path}`))?.split(' ')[1];
    if (!link || moved.has(path) || (await differs(place, path, link))) worked.push(path);
  }
  return worked;
}

const literal = (path: string): string => `:(literal)${path}`;

/** Whether a submodule's files are others than those of the commit; also where that commit can't be read. */
async function differs(place: SlotPlace, path: string, commit: string): Promise<boolean> {
  const index = join(place.state, 'keep-submodule.index');
  await moveToTrash(index, place.trash);
  const objects = gitPathOf(join(place.path, path));
  const env = {
    GIT_INDEX_FILE: index,
    GIT_WORK_TREE: join(place.path, path),
    ...(objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(objects, 'objects') }),
  };
  try {
    const read = await slotGit(place, ['read-tree', commit], { env, ok: [0, 128] });
    if (read.exit !== 0) return true;
    const list = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
    return (await slotList(place, list, { env })).some((file) => file !== '.git');
  } finally {
    await moveToTrash(index, place.trash);
  }
}

/** The git directory of a work tree inside the slot: there, or where its file says. */
function gitPathOf(workTree: string): string | undefined {
  const git = join(workTree, '.git');
  const found = lstatSync(git, { throwIfNoEntry: false });
  if (found?.isDirectory()) return git;
  if (!found?.isFile() || found.size > 4096) return undefined;
  const named = /^gitdir: (.*)/.exec(readFileSync(git, 'utf8'))?.[1];
  return named === undefined ? undefined : resolve(workTree, named);
}

/** Tree of all that lies in the work tree, tracked or not, without what is ignored. */
async function snapshot(place: SlotPlace): Promise<string> {
  const index = join(place.state, 'keep.index');
  // Also what a git that was killed here left.
  for (const path of [index, `${index}.lock`]) await moveToTrash(path, place.trash);
  // Not the job's own index: a flag in it may hide a changed file.
  await copyFile(provenIndex(place), index);
  const env = { GIT_INDEX_FILE: index };
  const files = await workFiles(place, env);
  const submodules = await workedSubmodules(place, env);
  for (const path of submodules) {
    // Its commits live in the slot alone: the files themselves take the place of the link to a commit.
    await slotGit(place, ['update-index', '--force-remove', '--', path], { env });
    files.push(...(await nestedFiles(place.path, path, [])));
  }
  if (files.length > 0) {
    await slotGit(place, ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      env,
      input: files.map((file) => `${file}\0`).join(''),
    });
  }
  return slotLine(place, ['write-tree'], { env });
}

/** Commits of the slot that the mirror does not have under a ref; newest ends only. */
async function unsavedTips(place: SlotPlace): Promise<string[]> {
  const { stdout } = await slotGit(place, [
    'rev-list',
    '--parents',
    // A branch that a killed git left empty is no reason to lose the others.
    '--ignore-missing',
    '--all',
    '--reflog',
    '--not',
    '--alternate-refs',
  ]);
  const parents = new Set<string>();
  const commits: string[] = [];
  for (const line of stdout.split('\n')) {
    const [commit, ...before] = line.split(' ');
    if (!commit) continue;
    commits.push(commit);
    for (const parent of before) parents.add(parent);
  }
  return commits.filter((commit) => !parents.has(commit)).slice(0, TIPS_MAX);
}

/** The commit that HEAD leads to; undefined on a branch without one. */
async function headOf(place: SlotPlace): Promise<string | undefined> {
  const { exit, stdout } = await slotGit(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    ok: [0, 1, 128],
  });
  return exit === 0 ? stdout.trim() : undefined;
}

/**
 * A job may have removed its `.git`, or its HEAD, or put something else there; a process may have died while it made a
 * pristine one. The files are kept all the same, and the commits that are still there.
 */
async function makeReadable(place: SlotPlace, caches: readonly string[]): Promise<void> {
  const git = place.gitDirectory;
  const found = await lstat(git).catch(() => undefined);
  const head = join(git, 'HEAD');
  const kind = await lstat(head).catch(() => undefined);
  // Cut off, where it was killed while it was written.
  const headed = kind?.isFile()
    ? /^(ref: refs\/|[0-9a-f]{40})/.test(await readFile(head, 'latin1'))
    : kind !== undefined;
  if (found?.isDirectory() && headed) return disarm(place, caches);
  const proven = provenCommit(place);
  if (!proven) throw new HeadwayError('internal', 'the slot was never brought to a known state');
  if (!found?.isDirectory()) return freshGitDirectory(place, proven, caches);
  for (const name of ['objects', 'refs']) await makeWhereMissing(join(git, name));
  await disarm(place, caches);
  await writeFile(head, `${proven}\n`);
}

async function makeWhereMissing(directory: string): Promise<void> {
  await mkdir(directory).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST') throw thrown;
  });
}

/**
 * Keeps what would be lost by a reset: commits that no ref of the mirror holds (also stashed and amended ones),
 * changes that were not committed, and untracked files. They become one commit under `refs/headway/kept/<label>` of
 * the mirror, whose tree is the work tree and whose parents are the commits. Returns the ref; undefined: nothing to
 * keep. Throws where it can't be kept.
 */
export async function keepWork(
  place: SlotPlace,
  label: string,
  caches: readonly string[],
): Promise<string | undefined> {
  await makeReadable(place, caches);
  const [tips, tree, head] = [await unsavedTips(place), await snapshot(place), await headOf(place)];
  const headTree = head ? await slotLine(place, ['rev-parse', `${head}^{tree}`]) : undefined;
  if (tips.length === 0 && tree === headTree) return undefined;
  const parents = [...new Set([...(head ? [head] : []), ...tips])];
  const commit = await slotLine(place, [
    'commit-tree',
    tree,
    ...parents.flatMap((parent) => ['-p', parent]),
    '-m',
    `Kept by Headway: ${label}`,
  ]);
  const ref = `${KEPT_REFS}${label.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 100)}`;
  await adoptCommit(place.mirror, place.path, commit, ref);
  return ref;
}
