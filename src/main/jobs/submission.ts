import { createHash } from 'node:crypto';
import type { Job, Repository, Settings, Ticket } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import { resolveAgent } from '../agents/registry.ts';
import { checkScript } from '../agents/script.ts';
import { isAncestor } from '../merge/merge-onto.ts';
import { trackedPaths } from '../scheduling/tracked-paths.ts';
import type { Mirror } from '../slots/mirror.ts';
import type { NewJob, Store } from '../store/store.ts';
import { claimOf } from '../tickets/claim-of.ts';
import {
  type ParsedTicket,
  parseTickets,
  type TicketFile,
  type TicketProblem,
} from '../tickets/parse-tickets.ts';
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
  const tracked = trackedPaths(await mirror.trackedFiles(commit));
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
      problems.push({ file: ticket.file, line: ticket.line, message: thrown.message });
    }
    checked.push({
      ticket,
      agent,
      claim: claimOf(ticket, { root: repository.path, tracked, ...(hubs ? { hubs } : {}) }),
    });
  }
  return { checked, problems };
}

/** One job for one ticket of this content in this repository, however often it is submitted. */
function keyOf(submission: Submission, { ticket, agent }: Checked): string {
  const { title, text, paths, dependsOn, related, priority, timeoutMs } = ticket;
  const content = [title, text, paths ?? null, dependsOn, related, priority, timeoutMs ?? null];
  const run = [agent, submission.gate ?? null, submission.base ?? submission.repository.base];
  return createHash('sha256')
    .update(JSON.stringify([submission.repository.id, ticket.id, content, run]))
    .digest('hex');
}

/**
 * Turns tickets into jobs: all of them or, where anything is wrong, none. A ticket that was submitted before with the
 * same content is the same job: it is joined while it is open, tried again when it had failed, and not repeated when
 * its merge is on the base.
 */
export async function submitTickets(submission: Submission, ports: SubmissionPorts): Promise<Job[]> {
  const { checked, problems } = await checkTickets(submission, ports);
  if (problems.length > 0) throw problemsError(problems);
  if (checked.length === 0) throw new HeadwayError('bad-input', 'There is no ticket in what was submitted.');
  const everywhere = await ports.store.jobs.changedSince(0);
  const here = everywhere.filter((job) => job.repoId === submission.repository.id);
  const known: Job[] = [];
  const fresh: NewJob[] = [];
  for (const one of checked) {
    const key = keyOf(submission, one);
    const same = await ports.store.jobs.byKey(key);
    if (same && (await stillStands(same, submission))) known.push(same);
    else fresh.push({ ...newJob({ ...submission, ...one, user: ports.user }, ports.now()), key });
  }
  const replaced = fresh.flatMap(({ ticket }) => openJobsOf(ticket, here));
  // Nothing has changed so far: a submission is refused whole.
  const maxQueued = ports.settings().maxQueued;
  const refused = (jobs: readonly Job[]): HeadwayError | undefined => {
    const waiting = jobs.filter((job) => job.state === 'queued' && !replaced.includes(job));
    return queueRefusal({ jobs, queued: waiting.length, limit: maxQueued }, fresh.length, ports.now());
  };
  const refusal = refused(everywhere);
  if (refusal) throw refusal;

  const jobs = new Map<string, Job>();
  for (const job of replaced) await giveWay(job, ports);
  const inserted = fresh.length === 0 ? [] : await ports.store.jobs.insertWithin(fresh, maxQueued);
  if (!inserted) {
    // Somebody else filled the queue meanwhile.
    throw refused(await ports.store.jobs.changedSince(0)) ?? busy();
  }
  for (const job of inserted) jobs.set(job.ticket.id, job);
  for (const job of known) jobs.set(job.ticket.id, (await rejoin(job, submission, ports)) ?? job);
  return checked.flatMap(({ ticket }) => jobs.get(ticket.id) ?? []);
}

const busy = (): HeadwayError =>
  new HeadwayError('busy', 'The queue was full for a moment. Nothing was taken. Try again.', {
    data: { retryAfterMs: 1000 },
  });

/** False for a merged job whose commit is not on the base: the repository was made anew or reset since. */
async function stillStands(job: Job, { repository }: Submission): Promise<boolean> {
  if (job.state !== 'merged') return true;
  if (job.commit === undefined) return false;
  return isAncestor(repository.path, job.commit, `refs/heads/${job.base}`).catch(() => false);
}

async function rejoin(known: Job, submission: Submission, ports: SubmissionPorts): Promise<Job | undefined> {
  switch (known.state) {
    case 'queued':
    case 'running':
      return known;
    case 'held':
      return ports.store.jobs.transition(known.id, ['held'], queuedAgain(ports.now()));
    case 'failed':
    case 'cancelled':
      return ports.store.jobs.transition(
        known.id,
        [known.state],
        reopened(known, submission.repository, ports.now()),
      );
    case 'merged':
      return known;
    default:
      return known.state satisfies never;
  }
}

/** Open jobs of the same ticket with other content. They give way to the new one; a running one does not. */
function openJobsOf(ticket: Ticket, jobs: readonly Job[]): Job[] {
  const same = jobs.filter((job) => job.ticket.id === ticket.id);
  const running = same.find((job) => job.state === 'running');
  if (running) {
    throw new HeadwayError(
      'conflict',
      `Ticket ${ticket.id} is running with other content (job ${running.id}). Wait for it, or cancel it first.`,
      { data: { jobId: running.id } },
    );
  }
  return same.filter((job) => job.state === 'queued' || job.state === 'held');
}

async function giveWay(job: Job, ports: SubmissionPorts): Promise<void> {
  await ports.store.jobs.transition(job.id, ['queued', 'held'], {
    state: 'cancelled',
    cause: {
      code: 'cancelled-by-person',
      by: ports.user,
      why: 'its ticket was submitted again with other content',
    },
    endedAt: ports.now(),
  });
}
