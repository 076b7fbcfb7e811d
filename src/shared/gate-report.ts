import { z } from 'zod';
import { later } from './later.ts';

/** What `headway gate audit` and `headway gate prove` report; see docs/gate-audit.md. */

export const FINDING_KINDS = [
  'not-a-work-tree',
  'policy-unreadable',
  'ungated',
  'step-cannot-fail',
  'script-missing',
  'script-not-wired',
  'no-typecheck',
  'no-build',
  'typecheck-empty',
  'typecheck-leaves-out',
  'typecheck-off',
  'typecheck-unread',
  'tests-never-run',
  'tests-narrowed',
  'tests-config-unread',
  'slot-path-ignored',
  'passes-without-tests',
  'only-changed',
  'focused-tests',
  'lint-leaves-out',
  'lint-hides-warnings',
  'pipe-needs-bash',
  'waits-for-input',
] as const;
/** In a policy's `accept`: a break that a proof put in and no step noticed. */
export const UNSEEN_BREAK = 'unseen-break';
export type FindingKind = (typeof FINDING_KINDS)[number];

export const fixSchema = later(() =>
  z.discriminatedUnion('kind', [
    /** A change of the user's own policy file; `--fix` and one click apply it. */
    z.object({
      kind: z.literal('policy'),
      text: z.string(),
      addSteps: z.array(z.object({ name: z.string(), run: z.string() })),
    }),
    /** A change of the repository's own files: only proposed. */
    z.object({ kind: z.literal('patch'), text: z.string(), patch: z.string() }),
    z.object({ kind: z.literal('advice'), text: z.string() }),
  ]),
);
export type Fix = z.infer<typeof fixSchema>;

export const findingSchema = later(() =>
  z.object({
    kind: z.enum(FINDING_KINDS),
    severity: z.enum(['error', 'warning', 'info']),
    title: z.string(),
    /** Sorted. */
    files: z.array(z.string()),
    why: z.string(),
    fix: fixSchema,
    /** Work that no step looks at: a gate with it is not called green unless the policy accepts it. */
    hidesWork: z.boolean(),
    /** The reason under which the policy accepts it. */
    accepted: z.string().optional(),
  }),
);
export type Finding = z.infer<typeof findingSchema>;

const count = later(() => z.number().int().nonnegative());
/** Null: nobody can tell, since a command says only as it runs which files it reads. */
const known = later(() => count.nullable());
export const auditAreaSchema = later(() =>
  z.object({
    area: z.string(),
    sources: count,
    /** Of `sources`: those that a type checker of the gate reads, and those that could be read by one. */
    typechecked: known,
    typecheckable: count,
    linted: known,
    tests: count,
    testsRun: known,
  }),
);
export type AuditArea = z.infer<typeof auditAreaSchema>;

export const auditSchema = later(() =>
  z.object({
    path: z.string(),
    name: z.string(),
    repoId: z.string().optional(),
    commit: z.string().optional(),
    gateSource: z.string(),
    steps: z.array(z.object({ name: z.string(), command: z.string() })),
    findings: z.array(findingSchema),
    areas: z.array(auditAreaSchema),
    /** Ways to make the gate quicker that do not change its outcome. */
    proposals: z.array(z.string()),
  }),
);
export type Audit = z.infer<typeof auditSchema>;

export const BREAK_KINDS = ['type', 'lint', 'import', 'assertion', 'logic', 'build'] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

export const proofCellSchema = later(() =>
  z.object({
    area: z.string(),
    break: z.enum(BREAK_KINDS),
    /** Where the break was put, and what it is. */
    file: z.string(),
    edit: z.string(),
    result: z.enum(['caught', 'missed', 'not-applicable']),
    /** The step that caught it. */
    step: z.string().optional(),
    ms: z.number().nonnegative().optional(),
    /** For a miss: its likely cause. For `not-applicable`: why. */
    why: z.string().optional(),
    /** For a miss: the reason under which the policy accepted it. */
    accepted: z.string().optional(),
  }),
);
export type ProofCell = z.infer<typeof proofCellSchema>;

export const proofSchema = later(() =>
  z.object({
    path: z.string(),
    repoId: z.string(),
    commit: z.string(),
    /** Hash of the gate's definition and the dependency key: another one makes the proof stale. */
    key: z.string(),
    at: z.number(),
    ms: z.number().nonnegative(),
    gateRuns: count,
    /** False: the gate was not green before anything was broken, so nothing could be proved. */
    provable: z.boolean(),
    reason: z.string(),
    cells: z.array(proofCellSchema),
    /** The tree was as before afterwards. */
    restored: z.boolean(),
  }),
);
export type Proof = z.infer<typeof proofSchema>;

/** What a proof lacks where the policy wants one. */
export const proofLackSchema = later(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('missing') }),
    /** Of another gate, or of other dependencies. */
    z.object({ kind: z.literal('stale') }),
    z.object({ kind: z.literal('old'), maxAgeMs: z.number() }),
    z.object({ kind: z.literal('unprovable'), why: z.string() }),
    z.object({ kind: z.literal('holes'), breaks: count }),
  ]),
);
export type ProofLack = z.infer<typeof proofLackSchema>;
