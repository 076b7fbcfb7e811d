import { z } from 'zod';
import { causeSchema } from './cause.ts';
import { doctorReportSchema } from './doctor.ts';
import {
  agentInfoSchema,
  attemptSchema,
  gaugesSchema,
  inspectionSchema,
  JOB_STATES,
  jobSchema,
  repositorySchema,
  sessionSchema,
  settingsSchema,
  slotSchema,
} from './domain.ts';
import { auditSchema, FINDING_KINDS, proofSchema } from './gate-report.ts';
import { later } from './later.ts';

/**
 * The contract: every request, event and stream, once. IPC, WebSocket and in-process are transports that carry it;
 * nothing else crosses between the engine and a window.
 */

const jobId = later(() => z.object({ jobId: z.string() }));
const nothing = later(() => z.object({}));
const text = later(() => z.string().max(5_000_000));

export const snapshotSchema = later(() =>
  z.object({
    /** Sequence number of the last event that this snapshot includes. */
    seq: z.number().int(),
    version: z.string(),
    platform: z.string(),
    home: z.string(),
    repositories: z.array(repositorySchema),
    /** In the scheduler's order. */
    jobs: z.array(jobSchema),
    /** The order of those that wait, which `jobs.ordered` changes. */
    queue: z.array(z.string()),
    slots: z.array(slotSchema),
    sessions: z.array(sessionSchema),
    settings: settingsSchema,
    agents: z.array(agentInfoSchema),
    gauges: gaugesSchema.optional(),
  }),
);
export type Snapshot = z.infer<typeof snapshotSchema>;

export const jobDetailSchema = later(() =>
  z.object({
    job: jobSchema,
    attempts: z.array(attemptSchema),
    why: z.object({ text: z.string(), frees: z.string() }).optional(),
  }),
);
export type JobDetail = z.infer<typeof jobDetailSchema>;

export const proofStateSchema = later(() =>
  z.object({
    repoId: z.string(),
    running: z.boolean(),
    /** The area that is proved alone now. */
    area: z.string().optional(),
    /** What the running proof does now. */
    progress: z.string().optional(),
    /** Why the last one of this process ended without a proof. */
    error: z.string().optional(),
    proof: proofSchema.optional(),
    /** The last proof of one area that this process made, until the whole is proved again. */
    part: z.object({ area: z.string(), proof: proofSchema }).optional(),
    /** The proof holds for the gate and the dependencies as they are now; false also where there is none. */
    fresh: z.boolean(),
  }),
);
export type ProofState = z.infer<typeof proofStateSchema>;

/** What an attempt or a session made and that is kept under a ref of Headway's own. */
export const keptWorkSchema = later(() =>
  z.object({
    ref: z.string(),
    repoId: z.string(),
    commit: z.string(),
    at: z.number(),
    jobId: z.string().optional(),
    ticketId: z.string().optional(),
    title: z.string().optional(),
    state: z.enum(JOB_STATES).optional(),
    /** Files that differ from where it began; not more than some hundreds of the `fileCount`. */
    files: z.array(z.string()),
    fileCount: z.number().int().nonnegative(),
    /** It is on the base already. */
    landed: z.boolean(),
  }),
);
export type KeptWork = z.infer<typeof keptWorkSchema>;

/** name → parameters and result. */
export const requests = later(
  () =>
    ({
      'app.snapshot': { params: nothing, result: snapshotSchema },
      /** As it stands at the tip of `base`; default: the registered base, else the likely one. */
      'repository.inspect': {
        params: z.object({ path: z.string().min(1), base: z.string().optional() }),
        result: inspectionSchema,
      },
      'repository.add': {
        params: z.object({ path: z.string().min(1), base: z.string().optional() }),
        result: repositorySchema,
      },
      'repository.remove': { params: z.object({ repoId: z.string() }), result: nothing },
      /** Agrees to the setup and gate commands whose hash was shown. */
      'repository.trust': {
        params: z.object({ repoId: z.string(), hash: z.string() }),
        result: repositorySchema,
      },
      /** Writes the sample repository below the data directory, registers it and returns its tickets' Markdown. */
      'sample.create': {
        params: nothing,
        result: z.object({
          repository: repositorySchema,
          tickets: z.array(z.object({ file: z.string(), text: z.string() })),
        }),
      },
      /** Checks tickets without submitting them: problems with file and line. */
      'tickets.check': {
        params: z.object({ repoId: z.string(), files: z.array(z.object({ name: z.string(), text })).min(1) }),
        result: z.object({
          tickets: z.array(z.object({ id: z.string(), title: z.string(), claim: z.string() })),
          problems: z.array(z.object({ file: z.string(), line: z.number(), message: z.string() })),
        }),
      },
      'tickets.submit': {
        params: z.object({
          repoId: z.string(),
          files: z.array(z.object({ name: z.string(), text })).min(1),
          agent: z.string().optional(),
        }),
        /** `notes`: what a person would not expect of a ticket that was known. */
        result: z.object({ jobs: z.array(jobSchema), notes: z.array(z.string()) }),
      },
      'job.get': { params: jobId, result: jobDetailSchema },
      /** Unified diff of what the last attempt changed against its base; cut at `limitBytes`. `hash` is of all of it. */
      'job.diff': {
        params: jobId.extend({ limitBytes: z.number().int().positive().max(4_000_000).optional() }),
        result: z.object({ diff: z.string(), cut: z.boolean(), hash: z.string() }),
      },
      'job.cancel': { params: jobId, result: jobSchema },
      'job.reopen': { params: jobId, result: jobSchema },
      'job.hold': { params: jobId, result: jobSchema },
      /** A job that changes its own gate is released only with the hash of the diff that was seen (`job.diff`). */
      'job.release': { params: jobId.extend({ gateChange: z.string().optional() }), result: jobSchema },
      /** What the gate of the base branch leaves out; nothing of the repository is run. */
      'gate.audit': { params: z.object({ repoId: z.string() }), result: auditSchema },
      /** Adds steps that the audit proposes (all, or those with these command lines) to the user's own policy. */
      'gate.fix': {
        params: z.object({ repoId: z.string(), runs: z.array(z.string()).optional() }),
        result: z.object({
          file: z.string(),
          added: z.array(z.object({ name: z.string(), run: z.string() })),
          audit: auditSchema,
        }),
      },
      /** Accepts a finding in the user's own policy, with the reason; `files`: for these globs alone. */
      'gate.accept': {
        params: z.object({
          repoId: z.string(),
          finding: z.enum(FINDING_KINDS),
          reason: z.string().min(1).max(500),
          files: z.array(z.string()).min(1).optional(),
        }),
        result: auditSchema,
      },
      /** Starts a proof unless one runs; its course and end are `proof.changed` events. */
      'gate.prove': {
        params: z.object({ repoId: z.string(), area: z.string().optional() }),
        result: proofStateSchema,
      },
      /** Ends the running proof, if any; the answer comes when its files are put back. */
      'gate.cancelProof': { params: z.object({ repoId: z.string() }), result: proofStateSchema },
      /** The newest proof, whether it still holds, and whether one runs. */
      'gate.proof': { params: z.object({ repoId: z.string() }), result: proofStateSchema },
      /** What attempts and sessions made, the newest first; of all repositories, or one. */
      'kept.list': {
        params: z.object({ repoId: z.string().optional() }),
        result: z.object({ kept: z.array(keptWorkSchema) }),
      },
      /** Puts it as a new branch into the user's repository; never moves or replaces one. */
      'kept.recover': {
        params: z.object({ repoId: z.string(), ref: z.string(), branch: z.string().min(1).max(200) }),
        result: z.object({ branch: z.string(), commit: z.string() }),
      },
      'kept.drop': { params: z.object({ repoId: z.string(), ref: z.string() }), result: nothing },
      'slots.warm': {
        params: z.object({ repoId: z.string(), count: z.number().int().min(1).max(64) }),
        result: z.object({ slots: z.array(slotSchema) }),
      },
      /** Examines the place where slots lie; with `fix`, starts the fix of that finding first. */
      'slots.doctor': {
        params: z.object({ repoId: z.string().optional(), fix: z.string().optional() }),
        result: doctorReportSchema,
      },
      'slot.rebuild': { params: z.object({ slotId: z.string() }), result: slotSchema },
      'slot.remove': { params: z.object({ slotId: z.string() }), result: nothing },
      /** Opens a shell or `claude` in a claimed slot; the pane is typed into by a person. */
      'session.open': {
        params: z.object({
          repoId: z.string(),
          kind: z.enum(['shell', 'claude']),
          /** Take over the work of this job instead of starting from the base. */
          jobId: z.string().optional(),
          cols: z.number().int().min(2).max(1000),
          rows: z.number().int().min(1).max(1000),
        }),
        result: sessionSchema,
      },
      /** Sends what the session changed through gate and merge, as a job of its own. */
      'session.finish': {
        params: z.object({ sessionId: z.string(), title: z.string().min(1).max(200) }),
        result: jobSchema,
      },
      /** Ends the program and gives the slot back; its work is kept under a ref. */
      'session.close': { params: z.object({ sessionId: z.string() }), result: nothing },
      'session.resize': {
        params: z.object({
          sessionId: z.string(),
          cols: z.number().int().min(2).max(1000),
          rows: z.number().int().min(1).max(1000),
        }),
        result: nothing,
      },
      /** `null` takes a setting without a default away. */
      'settings.set': {
        params: settingsSchema
          .partial()
          .extend({ maxJobsPerUser: settingsSchema.shape.maxJobsPerUser.nullable() })
          .strict(),
        result: settingsSchema,
      },
      /** A folder picker where the host has one; undefined: cancelled, or none (type the path instead). */
      'host.pickFolder': {
        params: nothing,
        result: z.object({ path: z.string().optional(), available: z.boolean() }),
      },
      /** Opens a slot's or repository's directory in the user's editor. */
      'host.openEditor': { params: z.object({ path: z.string() }), result: nothing },
    }) as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>,
);

export type RequestName = keyof typeof requests;
export type RequestParams<N extends RequestName> = z.input<(typeof requests)[N]['params']>;
export type RequestResult<N extends RequestName> = z.output<(typeof requests)[N]['result']>;

/** name → payload. Every event carries a sequence number beside it; on a gap the client takes a new snapshot. */
export const events = later(
  () =>
    ({
      'job.changed': jobSchema,
      /** Queued jobs that wait for another cause now; nothing else of them changed. */
      'jobs.explained': z.object({
        causes: z.array(z.object({ cause: causeSchema, jobIds: z.array(z.string()) })),
      }),
      /** How the order of the waiting jobs becomes the next one: see `changeOrder`. */
      'jobs.ordered': z.object({
        left: z.array(z.string()),
        placed: z.array(z.object({ after: z.string().optional(), ids: z.array(z.string()) })),
      }),
      'repository.changed': repositorySchema,
      'repository.removed': z.object({ repoId: z.string() }),
      'slot.changed': slotSchema,
      'slot.removed': z.object({ slotId: z.string() }),
      'session.changed': sessionSchema,
      'proof.changed': proofStateSchema,
      'settings.changed': settingsSchema,
      'gauges.sampled': gaugesSchema,
      /** Something a person should see, with the way out. */
      notice: z.object({ level: z.enum(['info', 'warning', 'error']), text: z.string(), at: z.number() }),
    }) as const satisfies Record<string, z.ZodType>,
);

export type EventName = keyof typeof events;
export type EventPayload<N extends EventName> = z.output<(typeof events)[N]>;
export type AnyEvent = { [N in EventName]: { name: N; payload: EventPayload<N>; seq: number } }[EventName];

/**
 * What goes over a transport. Control frames are JSON-able; terminal bytes travel as `data` frames that a transport
 * sends in binary. One stream is one session's output: replay of what is kept, then live bytes.
 * Flow control: the receiver sends `ack` with the number of bytes it has parsed; the sender pauses that session's
 * program while more than the high watermark is unacknowledged. With `ack` it says behind how many lines of plain output its
 * terminal has nothing left of what stood before them: that need not be sent.
 */
export type ClientFrame =
  | { type: 'request'; id: number; name: string; params: unknown }
  | { type: 'open'; stream: number; sessionId: string }
  | { type: 'ack'; stream: number; bytes: number; keptLines?: number }
  | { type: 'input'; sessionId: string; bytes: Uint8Array }
  | { type: 'close'; stream: number };

export type ServerFrame =
  | { type: 'reply'; id: number; ok: true; value: unknown }
  | {
      type: 'reply';
      id: number;
      ok: false;
      error: { code: string; message: string; data?: Record<string, unknown> };
    }
  | { type: 'event'; seq: number; name: string; payload: unknown }
  /**
   * `skipped` > 0 on the first frame of a replay whose beginning is no longer kept; `passedOver` on each frame of output that
   * outruns the eye, behind so much that was left out; `answers` on output that came since this reader did, whose questions to a
   * terminal it alone answers.
   */
  | {
      type: 'data';
      stream: number;
      bytes: Uint8Array;
      skipped?: number;
      passedOver?: number;
      answers?: boolean;
    }
  | { type: 'end'; stream: number; exitCode?: number; error?: string };

/**
 * Unacknowledged bytes up to which the sender goes on, all streams together, so that one pane's flood is not another's delay;
 * and the size of lump below which a receiver may keep acknowledgements back.
 */
export const STREAM_HIGH_BYTES = 200_000;
export const STREAM_LOW_BYTES = 5_000;
