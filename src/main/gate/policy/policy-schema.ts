import { z } from 'zod';
import { FINDING_KINDS, UNSEEN_BREAK } from '../../../shared/gate-report.ts';
import { DAY_MS, MINUTE_MS, parseDuration } from '../../../shared/time.ts';
import { COMMIT_TRAILERS } from '../../git/commit-message.ts';
import { globProblem } from '../../paths/globs.ts';
import { schemaOf } from '../builtin/front-matter.ts';
import { BUILTIN_NAMES, builtinName } from '../builtin/names.ts';

/** A step's time: a duration, or a bare number of seconds, more than none and at most a day; undefined where it is none of these. */
export function stepTimeoutMs(value: string | number): number | undefined {
  const text = String(value).trim();
  const durationMs = parseDuration(/[a-z]$/.test(text) ? text : `${text}s`);
  return durationMs && durationMs <= DAY_MS ? durationMs : undefined;
}

const MAX_AGE_MS = 365 * DAY_MS;

/** How old a proof may be: `fresh` sets no age; undefined where it is neither that nor a duration. */
export function proofAge(text: string): { maxAgeMs?: number } | undefined {
  if (text === 'fresh') return {};
  const maxAgeMs = parseDuration(text);
  return maxAgeMs && maxAgeMs >= MINUTE_MS && maxAgeMs <= MAX_AGE_MS ? { maxAgeMs } : undefined;
}

const command = z
  .string()
  .trim()
  .min(1, 'must be a command, not empty')
  .max(4000)
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character')
  .refine(
    (text) => {
      const name = builtinName(text);
      return name === undefined || BUILTIN_NAMES.some((each) => each === name);
    },
    `names no built-in step; there are ${BUILTIN_NAMES.join(', ')}`,
  );
const timeout = z
  .union([z.number(), z.string()])
  .refine((value) => stepTimeoutMs(value) !== undefined, 'must be a time such as 90s, 5m or 1h, at most 24h')
  .describe('How long the step may take: seconds, or 500ms, 90s, 5m, 1h. Default 30m.');
function isSchema(json: Readonly<Record<string, unknown>>): boolean {
  try {
    schemaOf(json);
    return true;
  } catch {
    return false;
  }
}

const glob = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .superRefine((text, context) => {
    const problem = globProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
const globFromTop = glob
  .regex(
    /^(?![A-Za-z]:)(?!(.*\/)?\.\.(\/|$))[^!\\]+$/,
    'must be a path or glob inside the repository, from its top',
  )
  .refine((text) => !/[[\]]/.test(text), 'must not hold brackets; use * or ? or {a,b}');
/** A path that one step may have for itself. Of installed packages only what is none: `node_modules/.cache/x`. */
const cachePath = globFromTop
  .regex(/^[^*?{}]+$/, 'must be a path, not a glob')
  .regex(/^(?!\/)(?!(.*\/)?\.(\/|$))(?!(.*\/)?\.git(\/|$))[^/]/i, 'must be a path inside the repository')
  .refine(
    (path) => !/(^|\/)node_modules(\/(?!\.(?!bin(\/|$)|pnpm(\/|$)))|$)/.test(path.replace(/\/+$/, '')),
    'must not hold installed packages; a directory such as node_modules/.cache/types is fine',
  );

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')
  .refine((name) => !/^(GIT_|HEADWAY_)/i.test(name), 'must not be a GIT_ or HEADWAY_ variable');
const variables = z.record(variableName, z.union([z.string(), z.number(), z.boolean()]));

/** The policy of one repository: `headway.yaml` at its root, or the user's own file. */
export const policySchema = z.strictObject({
  setup: command
    .optional()
    .describe('Command that prepares a fresh work tree; default: the install of its package manager.'),
  gate: z
    .array(
      z.union([
        command,
        z
          .strictObject({
            name: z
              .string()
              .trim()
              .min(1)
              .max(80)
              .optional()
              .describe('Shown for the step; default: the command.'),
            run: command.optional().describe('The command line.'),
            builtin: z
              .enum(BUILTIN_NAMES)
              .optional()
              .describe('A step of Headway itself, in place of a command line.'),
            timeout: timeout.optional(),
            dir: z
              .string()
              .trim()
              .regex(/^(?!\/|[A-Za-z]:)(?!(.*\/)?\.\.(\/|$)).+$/, 'must be a directory inside the repository')
              .optional()
              .describe('Directory that it runs in, relative to the top.'),
            env: variables.optional().describe('Literal variables for this step alone.'),
            evidence: z
              .enum(['none'])
              .optional()
              .describe('none: it proves nothing by itself (a formatter, a dry run) and may be silent.'),
            frontMatter: z
              .record(
                glob,
                z.union([
                  globFromTop.regex(/^[^*?{}]+$/, 'must be the path of a JSON Schema in the repository'),
                  z.record(z.string(), z.unknown()).refine(isSchema, 'must be a JSON Schema'),
                ]),
              )
              .optional()
              .describe(
                'For the built-in step markdown: what front matter must be, by glob of the notes: a JSON Schema, or the path of one as it is on the base.',
              ),
            reads: z
              .array(globFromTop)
              .max(100)
              .optional()
              .describe(
                'All that it reads of the repository, from the top: src is the directory src at the top. Default: anything.',
              ),
            writes: z
              .array(globFromTop)
              .max(100)
              .optional()
              .describe(
                'All that it writes in the work tree, from the top; [] is nothing. Steps that declare it run side by side where none touches what another one writes. Default: anything.',
              ),
            after: z
              .array(z.string().trim().min(1).max(80))
              .max(50)
              .optional()
              .describe('Names of earlier steps that it must not run beside.'),
            caches: z
              .array(cachePath)
              .max(20)
              .optional()
              .describe(
                'Paths from the top, ignored by git, that are kept in a slot for this step alone, such as the directory that --cache-location names.',
              ),
          })
          .refine(
            (step) => (step.run === undefined) !== (step.builtin === undefined),
            'needs run or builtin, one of them',
          )
          .refine(
            (step) =>
              step.frontMatter === undefined || (step.builtin ?? builtinName(step.run ?? '')) === 'markdown',
            { path: ['frontMatter'], message: 'is for the built-in step markdown' },
          ),
      ]),
    )
    .max(50)
    .optional()
    .describe(
      'Commands that must all succeed, in order. Default: the scripts lint, typecheck, test, build of package.json.',
    ),
  baseMustBeGreen: z
    .boolean()
    .optional()
    .describe(
      'Start no agent on a base whose own gate is red. true: run it there before the first agent. false: never look. Default: run it once a job is red.',
    ),
  caches: z.array(glob).optional().describe('Ignored paths that survive the reset of a slot.'),
  caps: z
    .strictObject({
      jobs: z.number().int().min(1).max(64).optional().describe('Jobs that run at once in this repository.'),
    })
    .optional(),
  hubs: z
    .array(glob)
    .optional()
    .describe('Files or globs that touch everything: a ticket that names one runs alone.'),
  generated: z
    .array(glob)
    .optional()
    .describe(
      "Files or globs that tools write, such as lockfiles: they are nobody's straying, and a gate may rewrite them.",
    ),
  merge: z
    .strictObject({
      auto: z.boolean().optional().describe('Merge by itself where the gate is green. Default: true.'),
      style: z
        .enum(['merge', 'pull-request'])
        .optional()
        .describe(
          'What green work becomes: a merge on the base, or a pull request by your own gh. Default: merge.',
        ),
      remote: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must be the name of a remote of your clone')
        .max(100)
        .optional()
        .describe('Remote that a pull request is pushed to. Default: origin.'),
      proof: z
        .string()
        .refine((text) => proofAge(text) !== undefined, 'must be fresh, or an age such as 12h or 7d')
        .optional()
        .describe(
          'Merge by itself only while a proof holds (`headway gate prove`): fresh, or not older than 12h, 7d.',
        ),
    })
    .optional(),
  commits: z
    .strictObject({
      author: z
        .enum(['user', 'agent'])
        .optional()
        .describe('Who is the author of commits that Headway makes of the work. Default: user.'),
      trailers: z
        .array(z.enum(COMMIT_TRAILERS))
        .max(COMMIT_TRAILERS.length)
        .optional()
        .describe('Lines at the end of commit messages. Default: job, ticket, agent.'),
    })
    .optional(),
  env: variables.optional().describe('Literal variables for setup and gate.'),
  passEnv: z
    .array(
      variableName.refine(
        (name) => !/^(PATH|NODE_OPTIONS|LD_.*|DYLD_.*)$/i.test(name),
        'must not be a variable that chooses which programs run',
      ),
    )
    .max(50)
    .optional()
    .describe(
      "Names of your own environment's variables that setup, agents and gate get, such as NPM_TOKEN; their values are never shown.",
    ),
  accept: z
    .array(
      z.strictObject({
        finding: z
          .enum([...FINDING_KINDS, UNSEEN_BREAK])
          .describe(
            'Kind of the finding, as `headway gate audit` prints it; unseen-break: what a proof shows that no step notices.',
          ),
        reason: z.string().trim().min(1).max(500).describe('Why it is right so; shown with every audit.'),
        files: z.array(glob).min(1).optional().describe('Accept it for these files alone.'),
      }),
    )
    .max(200)
    .optional()
    .describe('Findings of the audit that are known and right.'),
  protect: z
    .array(glob)
    .optional()
    .describe('Further files or globs that define the gate: changing them needs a person.'),
});

export type Policy = z.infer<typeof policySchema>;
