import { createHash } from 'node:crypto';
import type { Job, Repository, Settings } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { resolveAgent } from '../../agents/registry.ts';
import { checkScript } from '../../agents/script.ts';
import { isAncestor } from '../../landing/merge-onto.ts';
import type { Mirror } from '../../slots/mirror/mirror.ts';
import type { Again, JobChange, NewJob, Store } from '../../store/store.ts';
import { claimOf } from '../../tickets/claim-of.ts';
import {
  inOrder,
  type ParsedTicket,
  parseTickets,
  type TicketFile,
  type TicketProblem,
} from '../../tickets/parse-tickets.ts';
import { namesAt } from './base-names.ts';
import { newJob, queuedAgain, reopened } from './new-job.ts';
import { queueRefusal } from './queue-limit.ts';

export type Submission = {
  repository: Repository;
  files: readonly TicketFile[];
  /** Agent for tickets that name none. */
  agent?: string;
  gate?: readonly string[];
  base?: string;
  batchId: string;
  /** Hash of the setup and gate commands that are agreed to by submitting; not where the submission is refused. */
  trust?: string;
};

export type SubmissionPorts = {
  store: Store;
  mirror(repository: Repository): Mirror;
  hubsAt(repository: Repository, commit: string): Promise<readonly string[] | undefined>;
  settings(): Settings;
  /** Whose jobs they are. */
  user?: string | undefined;
  now(): number;
};

export type Checked = { ticket: ParsedTicket; agent: string; claim: Job['claim'] };

const PROBLEMS_SHOWN = 20;

function problemsError(problems: readonly TicketProblem[]): HeadwayError {
  const lines = problems
    .slice(0, PROBLEMS_SHOWN)
    .map(({ file, line, message }) => `${file}:${line}: ${message}`);
  if (problems.length > PROBLEMS_SHOWN) lines.push(`and ${problems.length - PROBLEMS_SHOWN} more`);
  return new HeadwayError('bad-input', lines.join('\n'), { data: { problems: [...problems] } });
}

/** Reads and judges tickets without changing anything: what each may touch, which agent takes it, what is wrong. */
export async function checkTickets(
  submission: Submission,
  ports: SubmissionPorts,
): Promise<{ checked: Checked[]; problems: TicketProblem[] }> {
  const { repository } = submission;
  // Also where every ticket names its own: a typo there is no ticket's.
  if (submission.agent !== undefined) resolveAgent(submission.agent);
  const known = new Set(
    (await ports.store.jobs.changedSince(0))
      .filter((job) => job.repoId === repository.id)
      .map((job) => job.ticket.id),
  );
  const { tickets, problems } = parseTickets(submission.files, { known, root: repository.path });
  const mirror = ports.mirror(repository);
  await mirror.fetch();
  const base = submission.base ?? repository.base;
  const commit = await mirror.baseCommit(base);
  if (!commit) {
    throw new HeadwayError(
      'bad-input',
      `${repository.path} has no branch ${base}; name another with --base.`,
    );
  }
  const { tracked, names } = await namesAt(mirror, commit);
  const hubs = await ports.hubsAt(repository, commit);
  const checked: Checked[] = [];
  for (const ticket of tickets) {
    const agent = ticket.agent ?? submission.agent ?? ports.settings().defaultAgent;
    try {
      resolveAgent(agent);
      if (agent === 'scripted') {
        for (const { line, message } of checkScript(ticket.text)) {
          problems.push({ file: ticket.file, line: ticket.textLine + line - 1, message });
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof HeadwayError)) throw thrown;
      problems.push({ file: ticket.file, line: ticket.agentLine ?? ticket.line, message: thrown.message });
    }
    checked.push({
      ticket,
      agent,
      claim: claimOf(ticket, { root: repository.path, tracked, names, ...(hubs ? { hubs } : {}) }),
    });
  }
  return { checked, problems: inOrder(problems, submission.files) };
}

/** One job for one ticket of this content on this base, whoever does it and whatever judges it. */
const keyOf = (submission: Submission, checked: Checked): string =>
  hashed(submission, checked, [submission.base ?? submission.repository.base]);

/** As rows of earlier versions have it: with the agent and the gate. What merged then is not repeated now. */
const earlierKeyOf = (submission: Submission, checked: Checked): string =>
  hashed(submission, checked, [
    checked.agent,
    submission.gate ?? null,
    submission.base ?? submission.repository.base,
  ]);

function hashed({ repository }: Submission, { ticket }: Checked, run: readonly unknown[]): string {
  const { title, text, paths, dependsOn, related, priority, timeoutMs } = ticket;
  const content = [title, text, paths ?? null, dependsOn, related, priority, timeoutMs ?? null];
  return createHash('sha256')
    .update(JSON.stringify([repository.id, ticket.id, content, run]))
    .digest('hex');
}

/** `notes`: what a person would not expect of a ticket that was known, in words. */
export type Submitted = { jobs: Job[]; notes: string[] };

/**
 * Turns tickets into jobs: all of them or, where anything is wrong, none. A ticket that was submitted before with the
 * same content is the same job: it is joined while it is open, tried again when it had failed, and not repeated when
 * its merge is on the base. Another agent or gate is taken by a job that has not begun, or is tried again.
 */
export async function submitTickets(submission: Submission, ports: SubmissionPorts): Promise<Submitted> {
  const { checked, problems } = await checkTickets(submission, ports);
  if (problems.length > 0) throw problemsError(problems);
  if (checked.length === 0) throw new HeadwayError('bad-input', 'There is no ticket in what was submitted.');
  const joined: { job: Job; one: Checked }[] = [];
  const again: Again[] = [];
  const fresh: NewJob[] = [];
  for (const one of checked) {
    const key = keyOf(submission, one);
    const same =
      (await ports.store.jobs.byKey(key)) ?? (await ports.store.jobs.byKey(earlierKeyOf(submission, one)));
    if (!same || !(await stillStands(same, submission))) {
      fresh.push({ ...newJob({ ...submission, ...one, user: ports.user }, ports.now()), key });
    } else if (same.state === 'failed' || same.state === 'cancelled') {
      const change = {
        ...reopened(same, submission.repository, ports.now()),
        ...madeBy(one, submission, same),
      };
      again.push({ jobId: same.id, change });
    } else {
      joined.push({ job: same, one });
    }
  }
  const everywhere = await ports.store.jobs.changedSince(0);
  const limit = ports.settings().maxQueued;
  const { trust } = submission;
  const jobs = new Map<string, Job>();
  if (fresh.length > 0 || again.length > 0 || trust !== undefined) {
    const submitted = await ports.store.jobs.submit(fresh, again, {
      giveWay: (job) => givingWay(job, ports),
      room(queued, adding) {
        const refusal = queueRefusal({ jobs: everywhere, queued, limit }, adding, ports.now());
        if (refusal) throw refusal;
      },
      ...(trust === undefined ? {} : { trust: { repoId: submission.repository.id, hash: trust } }),
    });
    for (const job of submitted) jobs.set(job.ticket.id, job);
  }
  const notes: string[] = [];
  for (const { job, one } of joined) {
    const known = (await goesOn(job, one, submission, ports)) ?? job;
    jobs.set(job.ticket.id, known);
    const note = differs(known, one, submission);
    if (note) notes.push(note);
  }
  return { jobs: checked.flatMap(({ ticket }) => jobs.get(ticket.id) ?? []), notes };
}

/** Who does the job and what judges it, as this submission wants it. */
const madeBy = ({ ticket, agent }: Checked, { gate }: Submission, job: Job) => ({
  agent,
  gate: gate && [...gate],
  ticket: { ...job.ticket, agent: ticket.agent },
});

/** Why a job that was known is not done as this submission wants it; undefined where it is. */
function differs(job: Job, { agent }: Checked, { gate }: Submission): string | undefined {
  const otherAgent = job.agent !== agent;
  if (!otherAgent && JSON.stringify(job.gate ?? null) === JSON.stringify(gate ?? null)) return undefined;
  const { id } = job.ticket;
  if (job.state === 'merged') return otherAgent ? `${id} is merged already, by ${job.agent}.` : undefined;
  const keeps = otherAgent ? `the agent ${job.agent}` : 'its gate';
  return `${id} has begun and keeps ${keeps}. Cancel it and submit it again to change that.`;
}

/** False for a merged job whose commit is not on the base: the repository was made anew or reset since. */
async function stillStands(job: Job, { repository }: Submission): Promise<boolean> {
  if (job.state !== 'merged') return true;
  if (job.commit === undefined) return false;
  return isAncestor(repository.path, job.commit, `refs/heads/${job.base}`).catch(() => false);
}

/** A held job is let go by its submission, and one that has not begun is done as it says; whatever else it is, it stays. */
async function goesOn(
  job: Job,
  one: Checked,
  submission: Submission,
  ports: SubmissionPorts,
): Promise<Job | undefined> {
  if (job.state !== 'held' && job.state !== 'queued') return job;
  const change = {
    ...(job.attempts === 0 && differs(job, one, submission) ? madeBy(one, submission, job) : {}),
    ...(job.state === 'held' ? queuedAgain(ports.now()) : {}),
  };
  if (Object.keys(change).length === 0) return job;
  return ports.store.jobs.transition(job.id, [job.state], change);
}

/** An open job of a ticket that comes with other content gives way to it; a running one does not. */
function givingWay(job: Job, ports: SubmissionPorts): JobChange {
  if (job.state === 'running') {
    throw new HeadwayError(
      'conflict',
      `Ticket ${job.ticket.id} is running with other content (job ${job.id}). Wait for it, or cancel it first.`,
      { data: { jobId: job.id } },
    );
  }
  return {
    state: 'cancelled',
    cause: {
      code: 'cancelled-by-person',
      by: ports.user,
      why: 'its ticket was submitted again with other content',
    },
    endedAt: ports.now(),
  };
}
