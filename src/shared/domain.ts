import { z } from 'zod';
import { causeSchema } from './cause.ts';
import { later } from './later.ts';

/*
 * Glossary (the words of the product, once):
 *   repository  a local git repository registered with Headway: base branch, policy
 *   ticket      what a person writes: title, text, repository, declared paths, dependencies, priority
 *   job         the durable execution of a ticket; has attempts
 *   attempt     one try at a job by one runner under one lease
 *   lease       a claim on a job for a limited time, renewed while it runs
 *   session     one conversation with an agent or a shell, shown in one pane
 *   slot        a pre-warmed work tree
 *   gate        the ordered steps that decide; only verdict green merges
 *   runner      a process that executes jobs
 * Times named `…At` are milliseconds since 1970 (UTC); durations end in Ms, sizes in Bytes.
 */

export const PRIORITIES = ['interactive', 'batch', 'background'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const JOB_STATES = ['queued', 'running', 'held', 'merged', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States from which nothing moves by itself. `held` waits for a person, but may go on when its cause is gone. */
export const ENDED_STATES: readonly JobState[] = ['merged', 'failed', 'cancelled'];

/** The stages of an attempt, in order. */
export const STAGES = ['slot', 'checkout', 'install', 'agent', 'gate', 'merge'] as const;
export type Stage = (typeof STAGES)[number];

/** green alone merges; broken: could not run; vacuous: ran and proved nothing; tampered: the gate itself was changed. */
export const VERDICTS = ['green', 'red', 'broken', 'ungated', 'vacuous', 'tampered'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const SLOT_STATES = ['cold', 'warming', 'ready', 'claimed', 'resetting', 'quarantined'] as const;
export type SlotState = (typeof SLOT_STATES)[number];

const at = later(() => z.number());
const ms = later(() => z.number().nonnegative());

export const ticketSchema = later(() =>
  z.object({
    id: z.string(),
    title: z.string(),
    /** What the agent gets. */
    text: z.string(),
    /** As declared in the front matter; undefined means: take them from the text. */
    paths: z.array(z.string()).optional(),
    /** Ticket ids. Hard: waits until they are merged. */
    dependsOn: z.array(z.string()),
    /** Ticket ids. Soft: never at the same time. */
    related: z.array(z.string()),
    priority: z.enum(PRIORITIES),
    /** Agent id such as `claude-code`, `scripted` or `command: codex exec {prompt}`. */
    agent: z.string().optional(),
    timeoutMs: ms.optional(),
  }),
);
export type Ticket = z.infer<typeof ticketSchema>;

/** What a job may touch. `paths` are normalised for display; keys for comparison are derived (scheduling/paths). */
export const claimSchema = later(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('everything'), why: z.string() }),
    z.object({
      kind: z.literal('paths'),
      paths: z.array(z.string()).min(1),
      from: z.enum(['declared', 'text', 'changed']),
    }),
  ]),
);
export type Claim = z.infer<typeof claimSchema>;

export const usageSchema = later(() =>
  z.object({
    rounds: z.number(),
    toolCalls: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number().optional(),
    /** Time spent waiting for the model and in tools, where the agent reports it. */
    modelMs: ms.optional(),
    toolMs: ms.optional(),
  }),
);
export type Usage = z.infer<typeof usageSchema>;

export const stageTimesSchema = later(() => z.partialRecord(z.enum(STAGES), ms));
export type StageTimes = z.infer<typeof stageTimesSchema>;

export const jobSchema = later(() =>
  z.object({
    id: z.string(),
    repoId: z.string(),
    ticket: ticketSchema,
    claim: claimSchema,
    /** Resolved agent id, gate override, base branch: everything that a runner needs is in the row. */
    agent: z.string(),
    gate: z.array(z.string()).optional(),
    base: z.string(),
    /** Place in the queue as submitted. */
    order: z.number().int(),
    /** Groups the jobs of one submission; a `headway run` drains its own batch. */
    batchId: z.string(),
    /** Who submitted it: the name of the operating system's user. Undefined: not known. */
    user: z.string().optional(),
    state: z.enum(JOB_STATES),
    stage: z.enum(STAGES).optional(),
    /** Why it is where it is; the text is `explainCause`. */
    cause: causeSchema.optional(),
    attempts: z.number().int().nonnegative(),
    verdict: z.enum(VERDICTS).optional(),
    branch: z.string().optional(),
    /** The commit that landed on the base, or the last one that the attempt made. */
    commit: z.string().optional(),
    /** Finished work that still has to pass gate and merge: the next attempt begins there instead of with the agent. */
    work: z.object({ base: z.string(), head: z.string() }).optional(),
    /** A person has looked at a change of gate-defining files and lets it through. */
    approved: z.boolean().optional(),
    /** Files that the last attempt really changed, and those of them outside the declaration. */
    files: z.array(z.string()),
    strayed: z.array(z.string()),
    stages: stageTimesSchema,
    usage: usageSchema.optional(),
    slotId: z.string().optional(),
    sessionId: z.string().optional(),
    createdAt: at,
    queuedAt: at,
    startedAt: at.optional(),
    endedAt: at.optional(),
    /** Time spent queued so far, finished waits only. */
    queuedMs: ms,
    /** Set by an attempt that asked to try again later. */
    notBeforeAt: at.optional(),
    /** Grows with every change in the store; orders events. */
    seq: z.number().int(),
  }),
);
export type Job = z.infer<typeof jobSchema>;

export const gateStepSchema = later(() =>
  z.object({
    name: z.string(),
    command: z.string(),
    timeoutMs: ms,
    /** Directory that it runs in, relative to the top. */
    dir: z.string().optional(),
    env: z.record(z.string(), z.string()).optional(),
    /** `none`: it proves nothing by itself and may be silent. */
    evidence: z.literal('none').optional(),
    /** What it reads of the tracked files, from the top; undefined: anything. */
    reads: z.array(z.string()).optional(),
    /** What it writes in the work tree, from the top; undefined: anything. */
    writes: z.array(z.string()).optional(),
    /** Names of earlier steps that it never runs beside. */
    after: z.array(z.string()).optional(),
    /** Commands of checks that are no steps because it runs them: each must be able to fail. */
    covers: z.array(z.string()).optional(),
    /** Paths from the top that are kept for it alone. */
    caches: z.array(z.string()).optional(),
    /** For the built-in step `markdown`: JSON Schemas of front matter, or their files, by the notes' globs. */
    frontMatter: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.unknown())])).optional(),
  }),
);
export type GateStep = z.infer<typeof gateStepSchema>;

export const stepResultSchema = later(() =>
  z.object({
    name: z.string(),
    command: z.string(),
    exit: z.number().nullable(),
    ms: ms,
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    /** What the step proved, e.g. tests executed as the runner itself counted them. */
    evidence: z.object({
      testsPassed: z.number().optional(),
      testsFailed: z.number().optional(),
      testsSkipped: z.number().optional(),
      outputBytes: z.number(),
    }),
    /** The last lines, redacted. */
    tail: z.string(),
    /** Hash of all that decided about it; see `stepKeys`. */
    key: z.string().optional(),
    /** It did not run again: another run judged the same before, on that commit. */
    reused: z.object({ commit: z.string(), at }).optional(),
  }),
);
export type StepResult = z.infer<typeof stepResultSchema>;

export const gateResultSchema = later(() =>
  z.object({
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    /** The commit whose tree was verified. */
    commit: z.string(),
    steps: z.array(stepResultSchema),
    at,
  }),
);
export type GateResult = z.infer<typeof gateResultSchema>;

export const attemptSchema = later(() =>
  z.object({
    jobId: z.string(),
    number: z.number().int().positive(),
    runnerId: z.string(),
    slotId: z.string().optional(),
    sessionId: z.string().optional(),
    baseCommit: z.string().optional(),
    startedAt: at,
    endedAt: at.optional(),
    outcome: z.enum(['merged', 'failed', 'held', 'requeued', 'cancelled', 'lost']).optional(),
    cause: causeSchema.optional(),
    stages: z.array(z.object({ stage: z.enum(STAGES), startedAt: at, ms: ms.optional() })),
    gates: z.array(gateResultSchema),
    usage: usageSchema.optional(),
    /** What a person should know about it, e.g. hooks of their clone that do not run in slots. */
    notes: z.array(z.string()).optional(),
    /** What changed in the user's own clone meanwhile, by whomever: config, refs, stash, hooks, index. */
    drift: z.array(z.string()).optional(),
  }),
);
export type Attempt = z.infer<typeof attemptSchema>;

export const repositorySchema = later(() =>
  z.object({
    id: z.string(),
    /** Real path of the top of the user's work tree. */
    path: z.string(),
    /** Real path of the git common directory: the repository's identity. */
    gitDir: z.string(),
    name: z.string(),
    base: z.string(),
    addedAt: at,
    /** Hash of the setup and gate commands that the person agreed to. */
    trustedHash: z.string().optional(),
  }),
);
export type Repository = z.infer<typeof repositorySchema>;

/** What Headway found when it looked at a repository; nothing has to be typed to start. */
export const inspectionSchema = later(() =>
  z.object({
    path: z.string(),
    name: z.string(),
    base: z.string(),
    branches: z.array(z.string()),
    manager: z.string().optional(),
    lockfile: z.string().optional(),
    setup: z.string().optional(),
    gate: z.array(gateStepSchema),
    gateSource: z.enum(['override', 'user', 'repository', 'default', 'none']),
    commandsHash: z.string(),
    trusted: z.boolean(),
    /** Things a person should know: submodules, LFS, uncommitted work, missing programs. */
    notes: z.array(z.string()),
  }),
);
export type Inspection = z.infer<typeof inspectionSchema>;

export const agentInfoSchema = later(() =>
  z.object({
    id: z.string(),
    label: z.string(),
    available: z.boolean(),
    version: z.string().optional(),
    /** What to do where it is not available. */
    hint: z.string().optional(),
  }),
);
export type AgentInfo = z.infer<typeof agentInfoSchema>;

export const slotSchema = later(() =>
  z.object({
    id: z.string(),
    repoId: z.string(),
    path: z.string(),
    state: z.enum(SLOT_STATES),
    /** Commit that the tree stands on. */
    commit: z.string().optional(),
    /** Dependency key of what is installed; undefined: nothing, or an install that did not end well. */
    installedKey: z.string().optional(),
    /** Who holds it. */
    jobId: z.string().optional(),
    sessionId: z.string().optional(),
    /** Runner that claimed or warms it. */
    runnerId: z.string().optional(),
    /** Why it is quarantined, or what it is doing now. */
    reason: z.string().optional(),
    /** What it takes on the disk, when that was last looked at. */
    sizeBytes: z.number().nonnegative().optional(),
    measuredAt: at.optional(),
    usedAt: at,
    updatedAt: at,
  }),
);
export type Slot = z.infer<typeof slotSchema>;

const SESSION_KINDS = ['job', 'shell', 'claude'] as const;
export const sessionSchema = later(() =>
  z.object({
    id: z.string(),
    kind: z.enum(SESSION_KINDS),
    repoId: z.string(),
    jobId: z.string().optional(),
    slotId: z.string().optional(),
    title: z.string(),
    /** True: a pty that a person may type into. False: output of headless programs. */
    interactive: z.boolean(),
    state: z.enum(['live', 'exited']),
    exitCode: z.number().optional(),
    /** The process that runs it or ran it, as it is listed among the runners. */
    runnerId: z.string().optional(),
    createdAt: at,
    endedAt: at.optional(),
  }),
);
export type Session = z.infer<typeof sessionSchema>;

export const settingsSchema = later(() =>
  z.object({
    /** Jobs that run at once, all repositories together. */
    maxJobs: z.number().int().min(1).max(64),
    /** Jobs that run at once in one repository. */
    maxJobsPerRepository: z.number().int().min(1).max(64),
    /** Jobs of one user that run at once; undefined: as many as the other caps let. */
    maxJobsPerUser: z.number().int().min(1).max(64).optional(),
    /** Jobs that may wait at once; a submission beyond it is refused with the time to try again. */
    maxQueued: z.number().int().min(1).max(100_000),
    /** Attempts of a job before it is given to a person. */
    maxAttempts: z.number().int().min(1).max(20),
    /** Hard timeout of an attempt's agent, unless the ticket names one. */
    agentTimeoutMs: z.number().int().min(1000),
    /** An agent that shows no sign of work (a process, an answer of its model) for this long has failed to start. */
    agentStartMs: z.number().int().min(100),
    /** Agent where neither the ticket nor the submission names one. */
    defaultAgent: z.string(),
    /** Installs that run at once. */
    maxInstalls: z.number().int().min(1).max(8),
    /** Gate steps that run at once, all gates together; one of each gate always may. */
    maxGateSteps: z.number().int().min(1).max(64),
    /** What all slots together may take on the disk before the least recently used ones go. */
    slotDiskBytes: z.number().int().min(0),
    /** Transcripts of sessions are deleted after this time, the oldest earlier where all take more than `transcriptBytes`. */
    transcriptDays: z.number().int().min(1).max(3650),
    transcriptBytes: z.number().int().min(0),
    copyOnSelect: z.boolean(),
    /** Command that opens a directory in the user's editor, `{path}` replaced. */
    editor: z.string(),
  }),
);
export type Settings = z.infer<typeof settingsSchema>;

export const gaugesSchema = later(() =>
  z.object({
    at,
    cpu: z.object({ usedShare: z.number(), cores: z.number() }),
    ram: z.object({ usedBytes: z.number(), totalBytes: z.number() }),
    jobs: z.object({ running: z.number(), limit: z.number() }),
    queue: z.object({ depth: z.number(), oldestWaitMs: ms }),
    slots: z.object({ ready: z.number(), warming: z.number(), claimed: z.number(), quarantined: z.number() }),
    sessions: z.object({ live: z.number() }),
    /** The limit that binds now, in words; undefined while nothing waits. */
    binds: z
      .object({ name: z.enum(['policy', 'cpu', 'memory', 'gate', 'slots']), why: z.string() })
      .optional(),
  }),
);
export type Gauges = z.infer<typeof gaugesSchema>;
