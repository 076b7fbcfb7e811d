import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Repository } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { deleteTree } from '../../disk/trash.ts';
import { git, gitEnvironment, gitLine, gitList, resolveCommit } from '../../git/git.ts';
import { LOCAL_CONFIG, plainAddress, UPLOAD_PACK } from '../../git/local-transfer.ts';
import { namedDirectory } from '../../git/named-directory.ts';
import { isPartialClone } from '../../git/partial-clone.ts';
import type { RepositoryLayout } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { processStarted } from '../../processes/process-table.ts';
import { run } from '../../processes/run.ts';
import { processTable } from '../../processes/table-identity.ts';
import { looksHalfDone, mendMirror, sweepUnfinished } from './mend-mirror.ts';

export type TreeFile = { path: string; objectId: string; mode: string };

/** Headway's own bare copy of a repository. Never collected, so slots may borrow its objects for ever. */
export interface Mirror {
  /** Bare git directory. */
  readonly path: string;
  /** Brings all heads and remote-tracking heads of the user's clone, without the network; serialised. */
  fetch(signal?: AbortSignal): Promise<void>;
  /** Makes sure that the commit is here, fetched by its id where no head leads to it. Throws `not-found`. */
  ensureCommit(commit: string, signal?: AbortSignal): Promise<void>;
  /** The commit of a branch as of the last fetch: `main`, or `origin/main` for a remote-tracking one. */
  baseCommit(branch: string): Promise<string | undefined>;
  /** Takes a commit with its history from a slot and keeps it under `ref`. */
  adopt(from: string, commit: string, ref: string): Promise<void>;
  /** How many files differ between two commits. */
  distance(from: string, to: string): Promise<number>;
  /** What a commit tracks, links and submodules too. */
  files(commit: string): Promise<TreeFile[]>;
  /** Contents by object id, in one go. Throws `internal` for an id that is no file of the mirror. */
  readObjects(objectIds: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** Bytes of a tracked file; undefined where the commit has none of that path. */
  readFile(commit: string, path: string): Promise<Uint8Array | undefined>;
}

const FETCHED = ['+refs/heads/*:refs/heads/*', '+refs/remotes/*:refs/remotes/*'];
/** Another Headway on the same data may hold a ref's lock for a moment. */
const LOCK_RETRIES = 5;
const LOCK_RETRY_MS = 100;
const DISTANCES_KEPT = 1_000;

async function retryLocked<T>(mirror: string, action: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (thrown) {
      if (!looksHalfDone(toError(thrown).message) || attempt >= LOCK_RETRIES) throw thrown;
      await delay(LOCK_RETRY_MS * (attempt + 1));
      // Still there after a pause: perhaps its git is not.
      if (attempt > 0) await mendMirror(mirror, Date.now());
    }
  }
}

/** Runs one after another; a failure stops nobody else. */
class Line {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const next = this.#tail.then(action, action);
    this.#tail = next.catch(() => undefined);
    return next;
  }
}

/** Output of git as bytes: contents of files are not text. */
async function gitBytes(
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<{ exit: number; bytes: Buffer; stderr: string }> {
  const chunks: Uint8Array[] = [];
  const result = await run({
    command: { file: 'git', args },
    cwd,
    env: gitEnvironment(await namedDirectory(cwd)),
    ownTree: false,
    ...(input === undefined ? {} : { input }),
    onOutput: (bytes, stream) => {
      if (stream === 'stdout') chunks.push(bytes);
    },
  });
  const stderr = result.error ?? result.stderr.trim();
  return { exit: result.status === 'exited' ? result.exit : 127, bytes: Buffer.concat(chunks), stderr };
}

/** Reads what `git cat-file --batch` prints: a line with id, type and size, the bytes, a line end. */
function parseBatch(output: Buffer): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [id = '', type = '', size = ''] = output.toString('latin1', at, end).split(' ');
    if (type !== 'blob') throw new HeadwayError('internal', `git object ${id} is no file of the mirror`);
    const start = end + 1;
    at = start + Number(size);
    found.set(id, output.subarray(start, at));
    at += 1;
  }
  return found;
}

/** Takes a commit with its history from a slot into a mirror and keeps it under `ref`. */
export async function adoptCommit(mirror: string, from: string, commit: string, ref: string): Promise<void> {
  // The git that serves the slot's objects is no call of ours, and reads what the slot is set to.
  await namedDirectory(from);
  await fetchInto(mirror, from, [`+${commit}:${ref}`], []);
}

function fetchInto(
  mirror: string,
  source: string,
  refspecs: readonly string[],
  more: readonly string[],
  { env = {}, signal }: { env?: Environment; signal?: AbortSignal } = {},
): Promise<unknown> {
  return retryLocked(mirror, () =>
    git(
      [
        ...[...LOCAL_CONFIG, 'fetch', '--quiet', `--upload-pack=${UPLOAD_PACK}`],
        ...['--no-tags', '--no-write-fetch-head', '--no-auto-gc', '--no-recurse-submodules'],
        ...['--update-shallow', ...more, '--', source, ...refspecs],
      ],
      { cwd: mirror, env: { ...plainAddress(source), ...env }, ...(signal ? { signal } : {}) },
    ),
  );
}

const partialCloneError = (clone: string, cause: unknown): HeadwayError =>
  new HeadwayError(
    'unavailable',
    `${clone} is a partial clone (git clone --filter): parts of its history are not on this machine, and its remote did not give them. Bring them once, in ${clone}: git fetch --refetch --no-filter. Git said: ${toError(cause).message}`,
    { cause },
  );

/** In the name of what is begun: process ids mean something in one process table only. */
const tableMark = (): string => createHash('sha256').update(processTable()).digest('hex').slice(0, 12);

/** Where the process `pid` of this process table builds a mirror. */
export const draftOf = (mirror: string, pid: number): string =>
  `${mirror}.${pid}.${Date.now()}.${tableMark()}`;

/** Removes mirrors that processes which are gone had begun. */
async function sweepDrafts(mirror: string): Promise<void> {
  const directory = dirname(mirror);
  const begun = `${basename(mirror)}.`;
  for (const name of await readdir(directory).catch(() => [] as string[])) {
    if (!name.startsWith(begun)) continue;
    const [id, , table] = name.slice(begun.length).split('.');
    // What a process in another container or on another machine has begun cannot be judged here.
    if (table !== tableMark()) continue;
    const pid = Number(id);
    if (pid === process.pid || (await processStarted(pid)) !== undefined) continue;
    await deleteTree(join(directory, name)).catch(() => undefined); // left for the next one who looks
  }
}

export function createMirror(repository: Repository, layout: RepositoryLayout): Mirror {
  const path = layout.mirror;
  const line = new Line();
  const inMirror = { cwd: path };
  /** Commits that were seen here: a mirror never loses one. */
  const known = new Set<string>();
  const distances = new Map<string, number>();

  let swept: Promise<void> | undefined;
  const create = async (): Promise<void> => {
    swept ??= sweepDrafts(path).then(async () => {
      await sweepUnfinished(path).catch(() => undefined); // left for the next one who looks
    });
    await swept;
    if (existsSync(path)) return;
    await mkdir(layout.directory, { recursive: true });
    const format = await gitLine(['rev-parse', '--show-object-format'], { cwd: repository.path });
    // Built beside and renamed, so that a crash leaves no half-made mirror under the name.
    const draft = draftOf(path, process.pid);
    try {
      await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, draft], {
        cwd: layout.directory,
      });
      await git(['config', 'gc.auto', '0'], { cwd: draft });
      await git(['config', 'transfer.fsckObjects', 'false'], { cwd: draft });
      await rename(draft, path);
    } catch (thrown) {
      await deleteTree(draft);
      if (!existsSync(path)) throw thrown; // else: somebody else made it meanwhile
    }
  };

  /** A partial clone fetches what it lacks from its own remote meanwhile, as it does for every git of the person's. */
  const fromClone = async (
    refspecs: readonly string[],
    more: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const options = { env: { GIT_NO_LAZY_FETCH: '0' }, ...(signal ? { signal } : {}) };
    await fetchInto(path, repository.gitDir, refspecs, more, options).catch(async (thrown: unknown) => {
      if (signal?.aborted || !(await isPartialClone(repository.path))) throw thrown;
      throw partialCloneError(repository.path, thrown);
    });
  };

  const fetch = (signal?: AbortSignal): Promise<void> =>
    line.run(async () => {
      await create();
      await fromClone(FETCHED, ['--prune'], signal);
    });

  const ensureCommit = async (commit: string, signal?: AbortSignal): Promise<void> => {
    if (!/^[0-9a-f]{40,64}$/.test(commit)) {
      throw new HeadwayError('bad-input', `${JSON.stringify(commit)} is no commit id`);
    }
    if (known.has(commit)) return;
    await line.run(create);
    if (!(await resolveCommit(path, commit))) await bring(commit, signal);
    known.add(commit);
  };

  const bring = async (commit: string, signal: AbortSignal | undefined): Promise<void> => {
    await line
      .run(() => fromClone([`${commit}:refs/headway/base/${commit}`], [], signal))
      .catch((thrown: unknown) => {
        if (signal?.aborted) throw thrown;
        throw new HeadwayError(
          'not-found',
          `commit ${commit.slice(0, 12)} is not in ${repository.path}: ${toError(thrown).message}`,
          { cause: thrown },
        );
      });
  };

  const distance = async (from: string, to: string): Promise<number> => {
    const pair = `${from} ${to}`;
    const before = distances.get(pair);
    if (before !== undefined) return before;
    const { length } = await gitList(['diff-tree', '-r', '-z', '--name-only', from, to], inMirror);
    if (distances.size >= DISTANCES_KEPT) distances.clear();
    distances.set(pair, length);
    return length;
  };

  const files = async (commit: string): Promise<TreeFile[]> => {
    const rows = await gitList(['ls-tree', '-r', '-z', commit], inMirror);
    return rows.map((row) => {
      const tab = row.indexOf('\t');
      const [mode = '', , objectId = ''] = row.slice(0, tab).split(' ');
      return { path: row.slice(tab + 1), objectId, mode };
    });
  };

  return {
    path,
    fetch,
    ensureCommit,
    distance,
    files,
    async baseCommit(branch) {
      if (!existsSync(path)) await fetch();
      const commit =
        (await resolveCommit(path, `refs/heads/${branch}`)) ??
        (await resolveCommit(path, `refs/remotes/${branch}`));
      if (commit !== undefined) known.add(commit);
      return commit;
    },
    async adopt(from, commit, ref) {
      await line.run(() => adoptCommit(path, from, commit, ref));
    },
    async readFile(commit, file) {
      const result = await gitBytes(path, ['cat-file', 'blob', `${commit}:${file}`]);
      if (result.exit === 0) return result.bytes;
      if (/does not exist|exists on disk|bad file/i.test(result.stderr)) return undefined;
      throw new HeadwayError('internal', `git cat-file: ${result.stderr}`);
    },
    async readObjects(objectIds) {
      if (objectIds.length === 0) return new Map();
      const result = await gitBytes(path, ['cat-file', '--batch'], objectIds.map((id) => `${id}\n`).join(''));
      if (result.exit !== 0) throw new HeadwayError('internal', `git cat-file: ${result.stderr}`);
      return parseBatch(result.bytes);
    },
  };
}
