import { z } from 'zod';
import { type ProofLack, proofLackSchema } from './gate-report.ts';
import { later } from './later.ts';
import { formatAge, formatMoment } from './time.ts';

/**
 * Why a job is where it is, as data. One function turns it into words (`explainCause`), for the command line, the API
 * and the interface alike. `jobId` fields are links to what holds the job.
 */
const holder = later(() => ({ jobId: z.string(), ticketId: z.string() }));
/** The name of the operating system's user; undefined: not known. */
const person = later(() => z.string().optional());

export const causeSchema = later(() =>
  z.discriminatedUnion('code', [
    // queued
    z.object({ code: z.literal('starting') }),
    z.object({ code: z.literal('store-trouble'), why: z.string() }),
    z.object({
      code: z.literal('path-conflict'),
      ...holder,
      running: z.boolean(),
      path: z.string(),
      theirPath: z.string(),
    }),
    z.object({
      code: z.literal('touches-everything'),
      ...holder,
      running: z.boolean(),
      /** Whose claim is the whole repository, and why. */
      whose: z.enum(['own', 'theirs']),
      why: z.string(),
    }),
    z.object({ code: z.literal('depends-on'), ...holder, state: z.string() }),
    z.object({ code: z.literal('related'), ...holder, running: z.boolean() }),
    z.object({ code: z.literal('cap'), scope: z.enum(['machine', 'repository', 'user']), limit: z.number() }),
    z.object({ code: z.literal('backoff'), untilAt: z.number(), why: z.string() }),
    /** Its agent's account takes no more work until then. `account`: its id, `label`: its name for people. */
    z.object({
      code: z.literal('account-paused'),
      account: z.string(),
      label: z.string(),
      untilAt: z.number(),
      why: z.string(),
    }),
    z.object({ code: z.literal('merge-conflict'), files: z.array(z.string()) }),
    z.object({ code: z.literal('runner-lost'), why: z.string() }),
    // running, waiting inside a stage
    z.object({ code: z.literal('waits-for-slot'), why: z.string() }),
    z.object({ code: z.literal('waits-for-install'), limit: z.number() }),
    z.object({ code: z.literal('waits-for-merge'), ...holder }),
    z.object({ code: z.literal('waits-for-process'), pid: z.number().optional(), suspended: z.boolean() }),
    /** Before the first agent: the gate runs on the base alone, for all jobs that begin there. */
    z.object({ code: z.literal('base-check'), base: z.string() }),
    // held: a person is needed, or something outside must change
    z.object({ code: z.literal('uncommitted-work'), path: z.string(), files: z.array(z.string()) }),
    z.object({ code: z.literal('needs-trust'), commands: z.array(z.string()), hash: z.string() }),
    z.object({ code: z.literal('dependency-failed'), ...holder, state: z.string() }),
    z.object({ code: z.literal('held-by-person'), by: person }),
    z.object({ code: z.literal('ungated') }),
    z.object({ code: z.literal('vacuous'), step: z.string(), why: z.string() }),
    z.object({ code: z.literal('tampered'), files: z.array(z.string()) }),
    z.object({ code: z.literal('needs-approval') }),
    z.object({ code: z.literal('needs-proof'), lack: proofLackSchema }),
    z.object({ code: z.literal('conflicts-remain'), files: z.array(z.string()), attempts: z.number() }),
    /** `seen`: mark of what may decide in the clone (hooks, settings, checkouts); undefined: a person has to decide. */
    z.object({ code: z.literal('merge-refused'), why: z.string(), seen: z.string().optional() }),
    z.object({ code: z.literal('disk-full'), path: z.string(), why: z.string() }),
    z.object({
      code: z.literal('base-red'),
      ...{ base: z.string(), commit: z.string(), step: z.string(), why: z.string() },
    }),
    z.object({ code: z.literal('base-missing'), base: z.string(), why: z.string() }),
    /** `merged`: there, but the user's own base does not have it yet. */
    z.object({ code: z.literal('awaits-pull-request'), url: z.string(), merged: z.boolean() }),
    // failed
    z.object({ code: z.literal('agent-failed'), why: z.string(), exit: z.number().optional() }),
    z.object({ code: z.literal('agent-missing'), agent: z.string(), hint: z.string() }),
    z.object({ code: z.literal('timeout'), stage: z.string(), limitMs: z.number() }),
    z.object({ code: z.literal('no-changes') }),
    z.object({ code: z.literal('gate-red'), step: z.string(), why: z.string() }),
    z.object({ code: z.literal('gate-broken'), step: z.string(), why: z.string() }),
    z.object({ code: z.literal('not-started'), limitMs: z.number() }),
    z.object({ code: z.literal('fetch-failed'), why: z.string() }),
    z.object({ code: z.literal('busy'), why: z.string() }),
    z.object({ code: z.literal('no-slot'), why: z.string() }),
    z.object({ code: z.literal('install-unreachable'), why: z.string() }),
    z.object({ code: z.literal('install-failed'), why: z.string() }),
    z.object({ code: z.literal('internal'), why: z.string() }),
    // any: what is stored of the job is not what a job looks like
    z.object({ code: z.literal('unreadable'), why: z.string() }),
    // cancelled
    /** `why`: what they did instead, where it was not a cancel. */
    z.object({ code: z.literal('cancelled-by-person'), by: person, why: z.string().optional() }),
  ]),
);
export type Cause = z.infer<typeof causeSchema>;

/** `text` says what holds the job, `frees` what would free it. */
export type Explanation = { text: string; frees: string };

const several = (files: readonly string[]): string =>
  files.length <= 3 ? files.join(', ') : `${files.slice(0, 3).join(', ')} and ${files.length - 3} more`;

const seconds = (ms: number): string => (ms >= 60_000 ? `${Math.round(ms / 60_000)} min` : `${ms / 1000} s`);

const CAP_PLACES = {
  machine: 'on this machine',
  repository: 'in this repository',
  user: 'for one user',
} as const;

function lackText(lack: ProofLack): string {
  switch (lack.kind) {
    case 'missing':
      return 'there is none';
    case 'stale':
      return 'the last one was of another gate, or with other dependencies';
    case 'old':
      return `the last one is older than ${formatAge(lack.maxAgeMs)}`;
    case 'unprovable':
      return `the last one proved nothing: ${lack.why}`;
    case 'holes':
      return `in the last one ${lack.breaks} ${lack.breaks === 1 ? 'break stays' : 'breaks stay'} unseen`;
    default:
      return lack satisfies never;
  }
}

/** What holds a job in words, and what would free it. */
export function explainCause(cause: Cause): Explanation {
  switch (cause.code) {
    case 'starting':
      return { text: 'starting', frees: 'a runner picks it up at once' };
    case 'store-trouble':
      return {
        text: `nothing is started, because nothing can be recorded: ${cause.why}`,
        frees: 'the data directory takes changes again; no restart is needed',
      };
    case 'path-conflict': {
      const paths = cause.path === cause.theirPath ? cause.path : `${cause.path} and ${cause.theirPath}`;
      return {
        text: `behind ${cause.ticketId}: ${paths}`,
        frees: `${cause.ticketId} ${cause.running ? 'ends' : 'is ahead in the queue and ends'}`,
      };
    }
    case 'touches-everything':
      return cause.whose === 'own'
        ? {
            text: `behind ${cause.ticketId}: touches everything (${cause.why})`,
            frees: `${cause.ticketId} ends, or the ticket declares its paths`,
          }
        : {
            text: `behind ${cause.ticketId}, which touches everything (${cause.why})`,
            frees: `${cause.ticketId} ends, or it declares its paths`,
          };
    case 'depends-on':
      return { text: `depends on ${cause.ticketId} (${cause.state})`, frees: `${cause.ticketId} is merged` };
    case 'related':
      return { text: `related to ${cause.ticketId}: not at the same time`, frees: `${cause.ticketId} ends` };
    case 'cap':
      return {
        text: `cap: ${cause.limit} at once ${CAP_PLACES[cause.scope]}`,
        frees: 'a running job ends, or the cap is raised',
      };
    case 'backoff':
      return {
        text: `tries again later: ${cause.why}`,
        frees: `the pause ends (${formatMoment(cause.untilAt)})`,
      };
    case 'account-paused':
      return {
        text: `${cause.label} is paused until ${formatMoment(cause.untilAt)}: ${cause.why}`,
        frees: `its limit resets (${formatMoment(cause.untilAt)}); sooner: headway accounts resume ${cause.account}`,
      };
    case 'merge-conflict':
      return {
        text: `conflict in ${several(cause.files)}: runs again on the new base`,
        frees: 'its next attempt',
      };
    case 'runner-lost':
      return { text: `its runner was lost: ${cause.why}`, frees: 'a runner takes it over' };
    case 'waits-for-slot':
      return { text: `waits for a slot: ${cause.why}`, frees: 'a slot is ready' };
    case 'waits-for-install':
      return {
        text: `waits for its turn to install (${cause.limit} at once)`,
        frees: 'a running install ends',
      };
    case 'waits-for-merge':
      return {
        text: `waits for ${cause.ticketId} to merge`,
        frees: `${cause.ticketId} has merged or failed`,
      };
    case 'waits-for-process': {
      const { pid, suspended } = cause;
      return {
        text: `waits for ${pid === undefined ? 'another process' : `process ${pid}`}${suspended ? ', which is suspended,' : ''} to merge`,
        frees: suspended ? `continue it (kill -CONT ${pid}) or end it` : 'it has merged',
      };
    }
    case 'base-check':
      return {
        text: `waits for the gate of ${cause.base} itself, which runs once for all jobs`,
        frees: 'it is green',
      };
    case 'base-red':
      return {
        text: `base is red: ${cause.base} at ${cause.commit.slice(0, 10)}: step ${cause.step}: ${cause.why}`,
        frees: `${cause.base} moves to a commit that is green: it goes on by itself then; or release it to run on the red one`,
      };
    case 'uncommitted-work':
      return {
        text: `waits for uncommitted work in ${cause.path}: ${several(cause.files)}`,
        frees: 'commit or stash it; the verified result is kept and lands by itself then',
      };
    case 'needs-trust':
      return {
        text: `the repository's commands changed: ${several(cause.commands)}`,
        frees: 'agree to them (--trust, or a click)',
      };
    case 'dependency-failed':
      return {
        text: `depends on ${cause.ticketId}, which is ${cause.state}`,
        frees: `${cause.ticketId} is reopened and merged`,
      };
    case 'held-by-person':
      return { text: `held by ${cause.by ?? 'a person'}`, frees: 'release it' };
    case 'ungated':
      return {
        text: 'UNGATED: no gate step checks this repository',
        frees: 'add gate steps, then reopen it',
      };
    case 'vacuous': {
      // What the audit says names it already.
      const byAudit = cause.step === 'audit';
      return {
        text: `the gate proved nothing: ${byAudit ? '' : `${cause.step}: `}${cause.why}`,
        frees: byAudit
          ? 'mend or accept what the audit found, then release it'
          : 'mend the step so that it can fail, then reopen it',
      };
    }
    case 'tampered':
      return {
        text: `the change touches its own gate: ${several(cause.files)}`,
        frees: 'see its diff, then approve the gate change (headway jobs release shows both)',
      };
    case 'needs-approval':
      return { text: "green; the policy wants a person's yes before it merges", frees: 'release it' };
    case 'needs-proof':
      return {
        text: `green; the policy wants a proof of the gate before it merges, and ${lackText(cause.lack)}`,
        frees:
          cause.lack.kind === 'holes'
            ? 'close the holes and prove again (headway gate prove), or release it'
            : 'prove the gate (headway gate prove), or release it',
      };
    case 'conflicts-remain':
      return {
        text: `still in conflict after ${cause.attempts} attempts: ${several(cause.files)}`,
        frees: 'a person resolves it, or reopens it',
      };
    case 'merge-refused':
      return {
        text: `the repository refused the merge: ${cause.why}`,
        frees:
          cause.seen === undefined
            ? 'mend the cause, then reopen it'
            : 'mend the cause; it is tried again by itself, or when you release it',
      };
    case 'disk-full':
      return {
        text: `the disk is full at ${cause.path}: ${cause.why}`,
        frees: 'free some space; it goes on by itself then',
      };
    case 'awaits-pull-request':
      return cause.merged
        ? {
            text: `pull request ${cause.url} is merged, your clone does not have it yet`,
            frees: 'pull, then release it',
          }
        : { text: `waits for pull request ${cause.url}`, frees: 'a person merges it; pull, then release it' };
    case 'agent-failed':
      return { text: `the agent failed: ${cause.why}`, frees: 'reopen it' };
    case 'agent-missing':
      return {
        text: `agent ${cause.agent} is not available: ${cause.hint}`,
        frees: 'install it, then reopen the job',
      };
    case 'timeout':
      return {
        text: `${cause.stage} took longer than ${seconds(cause.limitMs)} and was ended`,
        frees: 'raise the timeout, then reopen it',
      };
    case 'no-changes':
      return {
        text: 'the agent ended without changing anything',
        frees:
          'say more in the ticket, then reopen it; ignored files and those inside submodules do not land (`headway saved`)',
      };
    case 'gate-red':
      return { text: `gate red: ${cause.step}: ${cause.why}`, frees: 'reopen it' };
    case 'gate-broken':
      return {
        text: `gate could not run: ${cause.step}: ${cause.why}`,
        frees: 'mend the step, then reopen it',
      };
    case 'not-started':
      return {
        text: `the agent failed to start: no process and no output within ${seconds(cause.limitMs)}`,
        frees: 'look at its settings, then reopen it',
      };
    case 'fetch-failed':
      return { text: `the repository cannot be read: ${cause.why}`, frees: 'mend the cause, then reopen it' };
    case 'busy':
      return { text: `not possible just now: ${cause.why}`, frees: 'end what is in its way, then reopen it' };
    case 'install-unreachable':
      return {
        text: `install failed, a server was not reached: ${cause.why}`,
        frees: 'look at the network, then reopen it',
      };
    case 'no-slot':
      return { text: `no slot: ${cause.why}`, frees: 'mend the cause, then reopen it' };
    case 'install-failed':
      return { text: `install failed: ${cause.why}`, frees: 'mend the lockfile or setup, then reopen it' };
    case 'base-missing':
      return {
        text: `base branch ${cause.base}: ${cause.why}`,
        frees: 'create the branch: it goes on by itself then; or submit the ticket for another base',
      };
    case 'unreadable':
      return {
        text: `its record in the database cannot be read: ${cause.why}`,
        frees: 'cancel it and submit its ticket again; the record stays in the database as it is',
      };
    case 'internal':
      return { text: `internal error: ${cause.why}`, frees: 'reopen it; please report it' };
    case 'cancelled-by-person':
      return {
        text: `cancelled by ${cause.by ?? 'a person'}${cause.why === undefined ? '' : `: ${cause.why}`}`,
        frees: 'reopen it',
      };
    default:
      return cause satisfies never;
  }
}

/** What `explainJob` reads of a job. */
export type Explained = {
  state: 'queued' | 'running' | 'held' | 'merged' | 'failed' | 'cancelled';
  stage?: string | undefined;
  cause?: Cause | undefined;
  base: string;
  commit?: string | undefined;
};

/** Why a job is where it is, for every state, also where nothing holds it. */
export function explainJob(job: Explained): Explanation {
  if (job.cause) return explainCause(job.cause);
  switch (job.state) {
    case 'queued':
      return { text: 'queued, and not judged yet', frees: 'a runner looks at the queue' };
    case 'running':
      return {
        text: job.stage === undefined ? 'it runs' : `it runs: ${job.stage}`,
        frees: 'nothing holds it: it goes on by itself',
      };
    case 'merged':
      return {
        text: `merged into ${job.base}${job.commit === undefined ? '' : ` as ${job.commit.slice(0, 10)}`}`,
        frees: 'nothing holds it: it is done',
      };
    case 'held':
      return { text: 'held, without a reason on record', frees: 'release it' };
    case 'failed':
      return { text: 'failed, without a reason on record', frees: 'reopen it' };
    case 'cancelled':
      return { text: 'cancelled', frees: 'reopen it' };
    default:
      return job.state satisfies never;
  }
}
