import { git, gitList } from '../git/git.ts';
import { type OutsideState, plain } from './drift.ts';

/** A move of a base that Headway made: the commits of `from..to` are the work of its job. */
export type Landing = { from: string; to: string };

const MOST_COMMITS = 5;
const MOST_BRANCHES = 10;

/**
 * Commits that came onto branches of the user's clone between two looks and that Headway did not land: one line for each,
 * with its author. A person may have made them, or an agent that found the clone's path: nothing here can tell.
 */
export async function foreignCommits(
  clone: { path: string },
  before: OutsideState,
  after: OutsideState,
  landings: readonly Landing[],
): Promise<string[]> {
  const { name, tip } = after.base;
  const was = before.base.tip;
  const others = [...after.refs].filter(
    ([ref, commit]) => ref.startsWith('refs/heads/') && before.refs.get(ref) !== commit,
  );
  if (tip === was && others.length === 0) return [];
  const mine = await commitsOf(clone, landings);
  const lines: string[] = [];
  if (tip !== undefined && tip !== was) {
    if (was !== undefined && !(await holds(clone, tip, was)))
      lines.push(`${plain(name)}: moved from ${short(was)} to ${short(tip)}, which does not hold it`);
    lines.push(...(await told(clone, name, tip, was === undefined ? [] : [was], mine)));
  }
  const known = [...new Set([...before.refs.values(), ...[was, tip].flatMap((commit) => commit ?? [])])];
  for (const [ref, commit] of others.slice(0, MOST_BRANCHES))
    lines.push(...(await told(clone, ref.slice('refs/heads/'.length), commit, known, mine)));
  return lines;
}

const short = (commit: string): string => commit.slice(0, 10);

async function commitsOf(clone: { path: string }, landings: readonly Landing[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { from, to } of landings) {
    // 128: it never came here.
    const listed = await git(['rev-list', '--end-of-options', to, `^${from}`], {
      cwd: clone.path,
      ok: [0, 128],
    });
    if (listed.exit === 0) for (const commit of listed.stdout.split('\n')) found.add(commit);
  }
  return found;
}

async function holds(clone: { path: string }, tip: string, commit: string): Promise<boolean> {
  const { exit } = await git(['merge-base', '--is-ancestor', commit, tip], {
    cwd: clone.path,
    ok: [0, 1, 128],
  });
  return exit === 0;
}

async function told(
  clone: { path: string },
  branch: string,
  tip: string,
  known: readonly string[],
  mine: ReadonlySet<string>,
): Promise<string[]> {
  const fields = await gitList(['log', '-z', '--format=%H %an <%ae>%n%s', '--stdin'], {
    cwd: clone.path,
    input: [tip, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join(''),
  });
  const commits = fields.flatMap((field) => {
    const [head = '', subject = ''] = field.split('\n');
    const cut = head.indexOf(' ');
    const commit = head.slice(0, cut);
    return mine.has(commit) ? [] : [{ commit, author: head.slice(cut + 1), subject }];
  });
  const more = commits.length - MOST_COMMITS;
  return [
    ...commits
      .slice(0, MOST_COMMITS)
      .map(({ commit, author, subject }) =>
        plain(`${branch}: ${short(commit)} by ${author}, not landed by Headway: ${subject}`),
      ),
    ...(more > 0 ? [`${plain(branch)}: ${more} more, not landed by Headway`] : []),
  ];
}
