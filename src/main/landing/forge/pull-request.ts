import { z } from 'zod';
import { HeadwayError } from '../../../shared/errors.ts';
import { later } from '../../../shared/later.ts';
import { type ForgeAnswer, type ForgeCalls, gh, MOST_TRIES } from './gh.ts';

const pullRequestSchema = later(() =>
  z.object({
    url: z.url({ protocol: /^https?$/ }),
    state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
    headRefOid: z.string(),
    isCrossRepository: z.boolean(),
    mergeCommit: z.object({ oid: z.string() }).nullish(),
  }),
);
export type PullRequest = z.infer<typeof pullRequestSchema>;

const FIELDS = 'url,state,headRefOid,isCrossRepository,mergeCommit';

const failure = (args: readonly string[], why: string): HeadwayError =>
  new HeadwayError('internal', `gh ${args.slice(0, 2).join(' ')}: ${why}`);

/** Pull requests from this branch of the repository itself, newest first. Throws `internal` in gh's own words. */
export async function pullRequestsOf(branch: string, calls: ForgeCalls): Promise<PullRequest[]> {
  const list = ['pr', 'list', `--head=${branch}`, '--state=all', '--limit=30', `--json=${FIELDS}`];
  const answer = await gh(list, calls);
  if (!answer.ok) throw failure(list, answer.why);
  let said: unknown;
  try {
    said = JSON.parse(answer.stdout);
  } catch {
    throw failure(list, 'its answer is no JSON');
  }
  const read = z.array(pullRequestSchema).safeParse(said);
  if (!read.success) throw failure(list, `its answer can't be read: ${read.error.issues[0]?.message}`);
  // A fork may have a branch of the same name.
  return read.data.filter((request) => !request.isCrossRepository);
}

export type NewPullRequest = { branch: string; base: string; title: string; body: string };

/**
 * The open pull request of the branch: found, or made. A call that fails after the service did what it asked is seen by
 * looking again, so that none is made twice. Throws `internal` in gh's own words, `unavailable` without gh.
 */
export async function ensurePullRequest(
  request: NewPullRequest,
  calls: ForgeCalls,
): Promise<{ url: string; found: boolean }> {
  const open = async (): Promise<PullRequest | undefined> =>
    (await pullRequestsOf(request.branch, calls)).find(({ state }) => state === 'OPEN');
  const { branch, base, title, body } = request;
  const args = ['pr', 'create', `--head=${branch}`, `--base=${base}`, `--title=${title}`, '--body-file=-'];
  let made: ForgeAnswer | undefined;
  for (let tries = 0; ; tries += 1) {
    const there = await open();
    if (there) return { url: there.url, found: made?.ok !== true };
    if (made?.ok) throw failure(args, 'it made none that can be found');
    if (made && (!made.limited || tries >= MOST_TRIES)) throw failure(args, made.why);
    made = await gh(args, calls, { input: body });
  }
}

/** A comment, once: `mark` is hidden in it and looked for first. */
export async function ensureComment(
  comment: { url: string; mark: string; text: string },
  calls: ForgeCalls,
): Promise<void> {
  const { url, text } = comment;
  const hidden = `headway: ${comment.mark}`;
  const args = ['pr', 'comment', url, '--body-file=-'];
  let made: ForgeAnswer | undefined;
  for (let tries = 0; ; tries += 1) {
    const look = ['pr', 'view', url, '--json=comments'];
    const seen = await gh(look, calls);
    if (!seen.ok) throw failure(look, seen.why);
    if (seen.stdout.includes(hidden)) return;
    if (made?.ok) return; // the list may come late
    if (made && (!made.limited || tries >= MOST_TRIES)) throw failure(args, made.why);
    made = await gh(args, calls, { input: `${text}\n\n<!-- ${hidden} -->\n` });
  }
}
