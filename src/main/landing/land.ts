import { HeadwayError } from '../../shared/errors.ts';
import { type GitOutput, git, resolveCommit } from '../git/git.ts';
import { inside } from '../git/inside.ts';
import { LOCAL_CONFIG, plainAddress, receivePack } from '../git/local-transfer.ts';
import { inTurn } from './in-turn.ts';
import { type AfterLanding, settleCheckout } from './landed-checkout.ts';
import { watchLocks } from './left-locks.ts';
import { type LockWait, withMachineLock } from './machine-lock.ts';
import { isAncestor } from './merge-onto.ts';
import {
  type Checkout,
  checkoutsOf,
  moveCheckout,
  undoHalfMove,
  undoPartMove,
  workAtRisk,
} from './user-checkout.ts';

export type LandResult =
  /** The base holds the commit now, or held it already. */
  | {
      kind: 'landed';
      /** A checkout of the base that did not follow by itself. */
      checkout?: AfterLanding;
    }
  /** Somebody else moved the base; `base` is where it stands. */
  | { kind: 'moved'; base: string }
  /** The user's own work in `path` is in the way; nothing was touched. */
  | { kind: 'uncommitted'; path: string; files: string[] }
  | { kind: 'base-missing' }
  /** The repository refused, in its own words (a hook, a setting). */
  | { kind: 'refused'; why: string };

export type LandOptions = {
  slotPath: string;
  /** `path` is the user's work tree, `gitDir` the repository's identity. */
  repository: { path: string; gitDir: string };
  /** Branch name without refs/heads/. */
  base: string;
  /** The commit that the base must still have. */
  expectedBase: string;
  /** The verified commit; a descendant of `expectedBase`. */
  commit: string;
  signal?: AbortSignal;
  /** While another process lands in this repository. */
  wait?: LockWait;
};

/** Nothing is collected meanwhile. */
const receiving = (current: 'updateInstead' | 'ignore'): string =>
  receivePack(`receive.denyCurrentBranch=${current}`, 'receive.autogc=false', 'core.fsmonitor=false');

/** Longer than any push with its hooks may take. */
const LOCK_WAIT_MS = 15 * 60 * 1000;

const PUSH = [
  ...LOCAL_CONFIG,
  'push',
  '--porcelain',
  '--no-verify', // the slot's own pre-push hook would be the agent's
  '--no-follow-tags',
  '--no-signed',
  '--recurse-submodules=no',
  '--no-thin',
];

/**
 * Moves the base of the user's repository from `expectedBase` to `commit`, or changes nothing: compare-and-swap by a
 * local push, never backwards. A clean checkout of the base moves along. Safe to repeat after a crash.
 *
 * Lands in one repository take turns, also between processes: two pushes at once would both move the checkout's files,
 * and only one of them the branch.
 */
export function land(options: LandOptions): Promise<LandResult> {
  const key = options.repository.gitDir;
  return inTurn(key, () => withMachineLock(key, LOCK_WAIT_MS, () => landNow(options), options.wait));
}

async function landNow(options: LandOptions): Promise<LandResult> {
  const { slotPath, repository, base, expectedBase, commit } = options;
  const checkouts = await checkoutsOf(repository.path, base);
  const [checkout] = checkouts;
  const before = await standing(options);
  if (before?.kind === 'landed' || before?.kind === 'base-missing') return before;
  if (checkout) await undoHalfMove(checkout, commit, before?.base ?? expectedBase); // of a process that died
  if (before) return before;
  if (!(await isAncestor(slotPath, expectedBase, commit))) {
    throw new HeadwayError(
      'internal',
      `${commit} does not descend from ${expectedBase}; it can't land on ${base}`,
    );
  }
  if (checkouts.length > 1) {
    return { kind: 'refused', why: `${base} is checked out ${checkouts.length} times: ${paths(checkouts)}` };
  }
  const waits = checkout && (await waiting(options, checkout));
  if (waits) return waits;
  const removeLeft = await watchLocks(repository.path, base);
  let left: string[] = [];
  const pushed = await push(options, checkout).finally(async () => {
    left = await removeLeft();
  });
  if (checkout && !checkout.followsPush) await follow(options, checkout);
  left.push(...(await removeLeft()));
  const after = await standing(options);
  if (after?.kind === 'landed') {
    const followed = checkout && (await settleCheckout(checkout, { base, from: expectedBase, to: commit }));
    return { ...after, ...(followed ? { checkout: followed } : {}) };
  }
  if (checkout) await undoHalfMove(checkout, commit, after?.kind === 'moved' ? after.base : expectedBase);
  if (after) return after;
  if (left.length > 0) {
    if (checkout) await undoPartMove(checkout, expectedBase, commit);
    throw new HeadwayError('busy', `a git that moved ${base} was killed and left ${left.join(', ')}`, {
      data: { retryAfterMs: 1000 },
    });
  }
  return (
    (checkout && (await waiting(options, checkout))) ?? {
      kind: 'refused',
      why: refusalWords(pushed.stdout, pushed.stderr),
    }
  );
}

async function push(options: LandOptions, checkout: Checkout | undefined): Promise<GitOutput> {
  const { slotPath, repository, base, expectedBase, commit, signal } = options;
  const ref = `refs/heads/${base}`;
  return git(
    [
      ...PUSH,
      `--force-with-lease=${ref}:${expectedBase}`,
      `--receive-pack=${receiving(checkout && !checkout.followsPush ? 'ignore' : 'updateInstead')}`,
      '--',
      repository.path,
      `${commit}:${ref}`,
    ],
    { ...inside(slotPath, plainAddress(repository.path)), ok: [0, 1, 128], signal },
  );
}

/** Moves a checkout that git can't find by itself; where that fails the branch goes back. */
async function follow(options: LandOptions, checkout: Checkout): Promise<void> {
  const { repository, base, expectedBase, commit } = options;
  if ((await standing(options))?.kind !== 'landed') return;
  if (await moveCheckout(checkout, expectedBase, commit)) return;
  const ref = `refs/heads/${base}`;
  await git(['update-ref', '-m', 'headway: undo', ref, expectedBase, commit], {
    cwd: repository.path,
    ok: [0, 1, 128],
  });
}

/** The user's own work that the move would touch; undefined: none. */
async function waiting(options: LandOptions, checkout: Checkout): Promise<LandResult | undefined> {
  const { slotPath, expectedBase, commit } = options;
  const files = await workAtRisk(checkout, { slotPath, from: expectedBase, commit });
  return files.length > 0 ? { kind: 'uncommitted', path: checkout.path, files } : undefined;
}

const paths = (checkouts: readonly Checkout[]): string => checkouts.map(({ path }) => path).join(', ');

type Standing = Extract<LandResult, { kind: 'landed' | 'moved' | 'base-missing' }>;

/** What the base says by itself; undefined: it still stands at the expected commit. */
async function standing(options: LandOptions): Promise<Standing | undefined> {
  const { repository, base, expectedBase, commit } = options;
  const now = await resolveCommit(repository.path, `refs/heads/${base}`);
  if (now === undefined) return { kind: 'base-missing' };
  if (now === commit) return { kind: 'landed' };
  const known = await resolveCommit(repository.path, commit);
  if (known !== undefined && (await isAncestor(repository.path, commit, now))) return { kind: 'landed' };
  return now === expectedBase ? undefined : { kind: 'moved', base: now };
}

/** What a refused push said: first the remote's own lines (a hook's), then git's reason in brackets. */
export function refusalWords(stdout: string, stderr: string): string {
  const said = stderr
    .split('\n')
    .filter((line) => line.startsWith('remote: '))
    .map((line) => line.slice('remote: '.length).trim())
    .filter((line) => line !== '' && !/^error: (hook declined|cannot lock ref)/.test(line));
  const reason = /^!\t[^\t]*\t\[[^\]]*\] ?(?:\((.*)\))?/m.exec(stdout)?.[1];
  const words = [...said.slice(0, 6), ...(reason === undefined ? [] : [`(${reason})`])].join(' ');
  return words || stderr.trim().split('\n').slice(0, 3).join(' ') || 'git gave no reason';
}
