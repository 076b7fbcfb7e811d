import { existsSync } from 'node:fs';
import type { KeptWork } from '../../../shared/contract.ts';
import { ENDED_STATES, type Job, type Repository } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { assertBranchName } from '../../git/branch-name.ts';
import { git, gitLine, gitList } from '../../git/git.ts';
import { LOCAL_CONFIG, plainAddress, UPLOAD_PACK } from '../../git/local-transfer.ts';
import { isAncestor } from '../../landing/merge-onto.ts';
import type { Mirror } from '../../slots/mirror/mirror.ts';

/** Where what attempts and sessions made is kept in a mirror; see `kept-work` and `slots/keep`. */
const KEPT = ['refs/headway/jobs', 'refs/headway/kept'];
const FILES_SHOWN = 200;

export type KeptPlace = {
  repository: Repository;
  mirror: Pick<Mirror, 'path'>;
  /** Jobs of the repository. */
  jobs: readonly Job[];
};

type Ref = { ref: string; commit: string; at: number };

async function keptRefs(mirrorPath: string): Promise<Ref[]> {
  // Nothing was ever kept of a repository without a mirror.
  if (!existsSync(mirrorPath)) return [];
  const format = '--format=%(refname) %(objectname) %(committerdate:unix)';
  const lines = (await gitLine(['for-each-ref', format, ...KEPT], { cwd: mirrorPath })).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', commit = '', seconds = '0'] = line.split(' ');
      return { ref, commit, at: Number(seconds) * 1000 };
    });
}

/** Attempts are kept under their job's id, slots of dead runners under it too. */
const jobOf = (ref: string, jobs: readonly Job[]): Job | undefined =>
  jobs.find((job) => ref.includes(job.id));

async function read({ ref, commit, at }: Ref, place: KeptPlace): Promise<KeptWork> {
  const { repository, mirror } = place;
  const here = { cwd: mirror.path };
  const job = jobOf(ref, place.jobs);
  const base = `refs/heads/${job?.base ?? repository.base}`;
  // Asked of the clone itself: the mirror may be older than the merge. A commit that the clone does not have is on no branch of it.
  const landed = await isAncestor(repository.path, commit, base).catch(() => false);
  const { exit, stdout } = await git(['merge-base', base, commit], { ...here, ok: [0, 1, 128] });
  const from = exit === 0 ? stdout.trim() : undefined;
  const files = from
    ? await gitList(['diff', '--name-only', '--no-renames', '-z', from, commit, '--'], here)
    : await gitList(['ls-tree', '-r', '-z', '--name-only', commit], here);
  return {
    ref,
    repoId: repository.id,
    commit,
    at,
    ...(job ? { jobId: job.id, ticketId: job.ticket.id, title: job.ticket.title, state: job.state } : {}),
    files: files.slice(0, FILES_SHOWN),
    fileCount: files.length,
    landed,
  };
}

/** What attempts and sessions of a repository made, the newest first. `landed`: it is on the base already. */
export async function listKept(place: KeptPlace): Promise<KeptWork[]> {
  const kept: KeptWork[] = [];
  for (const ref of await keptRefs(place.mirror.path)) kept.push(await read(ref, place));
  return kept.sort((a, b) => b.at - a.at || a.ref.localeCompare(b.ref));
}

async function need(place: KeptPlace, ref: string): Promise<Ref> {
  const found = (await keptRefs(place.mirror.path)).find((each) => each.ref === ref);
  if (found) return found;
  throw new HeadwayError('not-found', `No work is saved under ${ref}; \`headway saved\` lists what is.`);
}

/** Puts kept work as a new branch into the user's repository. Never moves or replaces one. Returns the commit. */
export async function recoverKept(
  place: KeptPlace,
  { ref, branch }: { ref: string; branch: string },
  audit: AuditLog,
): Promise<string> {
  assertBranchName(branch);
  const { commit } = await need(place, ref);
  const { path, id: repoId, name } = place.repository;
  const user = { cwd: path };
  const target = `refs/heads/${branch}`;
  const named = await git(['check-ref-format', '--branch', branch], { ...user, ok: [0, 1, 128] });
  if (named.exit !== 0 || named.stdout.trim() !== branch) {
    throw new HeadwayError('bad-input', `"${branch}" can't be the name of a branch.`);
  }
  await git(
    [
      ...[
        ...LOCAL_CONFIG,
        'fetch',
        '--quiet',
        `--upload-pack=${UPLOAD_PACK}`,
        '--no-tags',
        '--no-write-fetch-head',
      ],
      ...['--no-auto-gc', '--no-recurse-submodules', '--', place.mirror.path, ref],
    ],
    { ...user, env: plainAddress(place.mirror.path) },
  );
  try {
    // An empty old value: it must not be there yet.
    await git(['update-ref', '-m', `headway: recovered ${ref}`, target, commit, ''], user);
  } catch (thrown) {
    throw new HeadwayError(
      'conflict',
      `Branch ${branch} was not made: ${toError(thrown).message}. Nothing was changed; choose another name.`,
    );
  }
  const text = `${ref} as branch ${branch} at ${commit.slice(0, 10)}`;
  audit.person([{ action: 'kept-recovered', repoId, subject: name, text }]);
  return commit;
}

/** Lets kept work go. Throws `not-allowed` while its job may still need it. */
export async function dropKept(place: KeptPlace, ref: string, audit: AuditLog): Promise<void> {
  const { commit } = await need(place, ref);
  const needs = place.jobs.find((job) => !ENDED_STATES.includes(job.state) && ref.includes(job.id));
  if (needs) {
    throw new HeadwayError(
      'not-allowed',
      `${needs.ticket.id} is ${needs.state} and may go on with this work; cancel it first.`,
    );
  }
  await git(['update-ref', '-d', ref, commit], { cwd: place.mirror.path });
  const { id: repoId, name } = place.repository;
  audit.person([{ action: 'kept-dropped', repoId, subject: name, text: `${ref} at ${commit.slice(0, 10)}` }]);
}
