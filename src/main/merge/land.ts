import { HeadwayError } from '../../shared/errors.ts';
import { git, resolveCommit } from '../git/git.ts';
import { inTurn } from './in-turn.ts';
import { inside } from './inside.ts';
import { isAncestor } from './merge-onto.ts';
import { type Checkout, checkoutsOf, undoHalfMove, workAtRisk } from './user-checkout.ts';

export type LandResult =
  /** The base holds the commit now, or held it already. */
  | { kind: 'landed' }
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
};

/**
 * Runs in a shell that git starts. The checkout moves along where it is clean; nothing is collected meanwhile. What a
 * push gives by -c does not cross to the receiving side, so it is said here.
 */
const RECEIVE_PACK =
  'git -c receive.denyCurrentBranch=updateInstead -c receive.autogc=false -c core.fsmonitor=false receive-pack';

const PUSH = [
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
 * local push, never backwards. Lands in one repository take turns. Safe to repeat after a crash.
 */
export function land(options: LandOptions): Promise<LandResult> {
  return inTurn(options.repository.gitDir, () => landNow(options));
}

async function landNow(options: LandOptions): Promise<LandResult> {
  const { slotPath, repository, base, expectedBase, commit } = options;
  const ref = `refs/heads/${base}`;
  const before = await standing(options);
  if (before) return before;
  if (!(await isAncestor(slotPath, expectedBase, commit))) {
    throw new HeadwayError(
      'internal',
      `${commit} does not descend from ${expectedBase}; it can't land on ${base}`,
    );
  }
  const checkouts = await checkoutsOf(repository.path, base);
  if (checkouts.length > 1) {
    return { kind: 'refused', why: `${base} is checked out ${checkouts.length} times: ${paths(checkouts)}` };
  }
  const [checkout] = checkouts;
  const move = { slotPath, from: expectedBase, commit };
  if (checkout) {
    const files = await workAtRisk(checkout, move);
    if (files.length > 0) return { kind: 'uncommitted', path: checkout.path, files };
  }
  const pushed = await git(
    [
      ...PUSH,
      `--force-with-lease=${ref}:${expectedBase}`,
      `--receive-pack=${RECEIVE_PACK}`,
      '--',
      repository.path,
      `${commit}:${ref}`,
    ],
    { ...inside(slotPath), ok: [0, 1, 128], signal: options.signal },
  );
  return (await standing(options)) ?? (await explainRefusal(options, checkout, pushed));
}

const paths = (checkouts: readonly Checkout[]): string => checkouts.map(({ path }) => path).join(', ');

/** What the base says by itself; undefined: it still stands at the expected commit. */
async function standing(options: LandOptions): Promise<LandResult | undefined> {
  const { repository, base, expectedBase, commit } = options;
  const now = await resolveCommit(repository.path, `refs/heads/${base}`);
  if (now === undefined) return { kind: 'base-missing' };
  if (now === commit) return { kind: 'landed' };
  const known = await resolveCommit(repository.path, commit);
  if (known !== undefined && (await isAncestor(repository.path, commit, now))) return { kind: 'landed' };
  return now === expectedBase ? undefined : { kind: 'moved', base: now };
}

async function explainRefusal(
  options: LandOptions,
  checkout: Checkout | undefined,
  pushed: { stdout: string; stderr: string },
): Promise<LandResult> {
  if (checkout) {
    await undoHalfMove(checkout, options.commit, options.expectedBase);
    const files = await workAtRisk(checkout, {
      slotPath: options.slotPath,
      from: options.expectedBase,
      commit: options.commit,
    });
    if (files.length > 0) return { kind: 'uncommitted', path: checkout.path, files };
  }
  return { kind: 'refused', why: refusalWords(pushed.stdout, pushed.stderr) };
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
