import { createHash } from 'node:crypto';
import type { GateStep } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { nearestNames } from '../../../shared/nearest-names.ts';
import { type CommitPolicy, DEFAULT_COMMITS } from '../../git/commit-message.ts';
import { managerOf, parsePackage, type Scripts } from '../commands/package-scripts.ts';
import { calledScripts } from '../commands/script-calls.ts';
import { defaultGate } from './default-gate.ts';
import { parsePolicy } from './parse-policy.ts';
import { type Policy, proofAge, stepTimeoutMs } from './policy-schema.ts';
import { meetsAny } from './step-order.ts';

export const POLICY_FILE = 'headway.yaml';
/** How long a step may take where the policy does not say. */
export const STEP_TIMEOUT_MS = 30 * 60 * 1000;

/** The files of one commit that a policy depends on; text, undefined where there is none. */
export type ReadText = (path: string) => string | undefined;

export type PolicyInput = {
  /** Reads at the base commit. Asked for headway.yaml, package.json and (only whether they exist) lockfiles. */
  readFile: ReadText;
  /** Text of the user's own policy file for this repository. */
  userPolicy?: string;
  /** Commands of --gate: they replace the gate. */
  override?: readonly string[];
};

export type ResolvedPolicy = {
  setup?: string;
  gate: GateStep[];
  source: 'override' | 'user' | 'repository' | 'default' | 'none';
  caches: string[];
  caps: { jobs?: number };
  hubs: string[];
  /** What tools write: changing it is not straying. */
  generated: string[];
  /** No agent starts on a base whose own gate is red. */
  /** When the base's own gate is asked: before the first agent, never, or (undefined) once a job's gate is red. */
  baseMustBeGreen: boolean | undefined;
  merge: {
    auto: boolean;
    style: 'merge' | 'pull-request';
    remote: string;
    /** Merging by itself needs a proof that holds, and one that is not older. */
    proof?: { maxAgeMs?: number };
  };
  commits: CommitPolicy;
  env: Record<string, string>;
  /** Variables of the person's own environment that setup, agent and gate get, by name. */
  passEnv: string[];
  protect: string[];
  /** Findings of the audit that are accepted, with the reason. */
  accept: NonNullable<Policy['accept']>;
  /** What the repository would run, to show to a person before they agree. */
  commands: string[];
  /**
   * Of everything in `commands`: setup, gate, env and the text of the package.json scripts that they call. What --gate
   * names was typed by the person and is not part of it.
   */
  hash: string;
  scripts: Scripts;
  notes: string[];
};

function toStep(entry: NonNullable<Policy['gate']>[number]): GateStep {
  if (typeof entry === 'string') return { name: stepName(entry), command: entry, timeoutMs: STEP_TIMEOUT_MS };
  const command = entry.run ?? `builtin:${entry.builtin}`;
  const timeoutMs = entry.timeout === undefined ? undefined : stepTimeoutMs(entry.timeout);
  return {
    name: entry.name ?? entry.builtin ?? stepName(command),
    command,
    timeoutMs: timeoutMs ?? STEP_TIMEOUT_MS,
    ...(entry.dir === undefined ? {} : { dir: entry.dir }),
    ...(entry.env === undefined ? {} : { env: literals(entry.env) }),
    ...(entry.evidence === undefined ? {} : { evidence: entry.evidence }),
    ...(entry.frontMatter === undefined ? {} : { frontMatter: entry.frontMatter }),
    ...(entry.reads === undefined ? {} : { reads: entry.reads }),
    ...(entry.writes === undefined ? {} : { writes: entry.writes }),
    ...(entry.after === undefined ? {} : { after: entry.after }),
    ...(entry.caches === undefined ? {} : { caches: entry.caches.map((path) => path.replace(/\/+$/, '')) }),
  };
}

/** Error `bad-input` where two steps would have one cache, or one writes into that of another. */
function assertOwnCaches(steps: readonly GateStep[]): void {
  for (const step of steps) {
    for (const path of step.caches ?? []) {
      const other = steps.find(
        (each) => each !== step && meetsAny(path, [...(each.caches ?? []), ...(each.writes ?? [])]),
      );
      if (!other) continue;
      throw new HeadwayError(
        'bad-input',
        `gate step ${step.name}: caches: ${path} is also named by step ${other.name}; a cache belongs to one step`,
      );
    }
  }
}

/** Error `bad-input` where a step is to come after one that is not before it. */
function assertOrder(steps: readonly GateStep[]): void {
  for (const [at, { name, after = [] }] of steps.entries()) {
    const before = steps.slice(0, at).map((step) => step.name);
    const wrong = after.find((each) => !before.includes(each));
    if (wrong === undefined) continue;
    const near = nearestNames(wrong, before, 1)[0];
    const out =
      near === undefined
        ? before.length === 0
          ? 'it is the first step'
          : `the steps before it are ${before.join(', ')}`
        : `did you mean ${near}?`;
    throw new HeadwayError(
      'bad-input',
      `gate step ${name}: after: no earlier step is named "${wrong}"; ${out}`,
    );
  }
}

const literals = (env: NonNullable<Policy['env']>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)] as const));

/** `lint` for `npm run lint`, else the command line itself, cut. */
function stepName(command: string): string {
  const script = /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?([\w:.-]+)$/.exec(command)?.[1];
  const line = command.replace(/\s+/g, ' ');
  return script ?? (line.length > 60 ? `${line.slice(0, 59)}…` : line);
}

/** The same name twice would hide one of them in a report. */
function withUniqueNames(steps: GateStep[]): GateStep[] {
  const seen = new Map<string, number>();
  return steps.map((step) => {
    const count = (seen.get(step.name) ?? 0) + 1;
    seen.set(step.name, count);
    return count === 1 ? step : { ...step, name: `${step.name} (${count})` };
  });
}

/**
 * Which commands decide about this repository, and where they come from. A key of the user's own file wins over the
 * same key in the repository's; protected files of both count. Error `bad-input` for a policy that can't be read.
 */
export function resolvePolicy(input: PolicyInput): ResolvedPolicy {
  const notes: string[] = [];
  const ownText = input.readFile(POLICY_FILE);
  const own = ownText === undefined ? {} : parsePolicy(ownText, POLICY_FILE);
  const user =
    input.userPolicy === undefined ? {} : parsePolicy(input.userPolicy, 'the policy in your settings');
  if (ownText === undefined && input.readFile('headway.yml') !== undefined) {
    notes.push('headway.yml is not read; the policy file is headway.yaml');
  }
  const merged: Policy = { ...own, ...user };

  const packageText = input.readFile('package.json');
  const file = packageText === undefined ? undefined : parsePackage(packageText);
  if (packageText !== undefined && !file)
    notes.push('package.json is not valid JSON; its scripts are not used');
  const scripts: Scripts = file?.scripts ?? {};
  const { manager = 'npm' } = managerOf((path) => input.readFile(path) !== undefined, file);

  let source: ResolvedPolicy['source'] = user.gate ? 'user' : own.gate ? 'repository' : 'default';
  let brought = (merged.gate ?? []).map(toStep);
  if (merged.gate === undefined) {
    const found = defaultGate(scripts, manager);
    brought = found.steps.map((step) => ({ ...step, timeoutMs: STEP_TIMEOUT_MS }));
    notes.push(...found.notes);
  } else if (brought.length === 0) {
    notes.push(`${source === 'user' ? 'the policy in your settings' : POLICY_FILE} names an empty gate`);
  }
  brought = withUniqueNames(brought);
  assertOrder(brought);
  assertOwnCaches(brought);
  if (brought.length === 0) source = 'none';
  const given = (input.override ?? []).filter((command) => command.trim() !== '');
  const env = literals(merged.env ?? {});
  const install = merged.setup ?? (file ? `${manager} install` : undefined); // runs postinstall and the like
  const bringing = [...(install === undefined ? [] : [install]), ...brought.map((step) => step.command)];
  const called = calledScripts(bringing, scripts);
  const { style = 'merge', remote = 'origin' } = merged.merge ?? {};
  const proof = merged.merge?.proof === undefined ? undefined : proofAge(merged.merge.proof);
  // It leaves the machine with the person's own access: part of what they agree to.
  const outside = style === 'pull-request' ? [`pull request: at ${remote}, by your own gh`] : [];
  const passEnv = [...new Set(merged.passEnv ?? [])].sort();
  return {
    setup: merged.setup,
    gate: given.length > 0 ? withUniqueNames(given.map(toStep)) : brought,
    source: given.length > 0 ? 'override' : source,
    caches: merged.caches ?? [],
    caps: merged.caps ?? {},
    hubs: merged.hubs ?? [],
    generated: merged.generated ?? [],
    baseMustBeGreen: merged.baseMustBeGreen,
    merge: { auto: merged.merge?.auto ?? true, style, remote, ...(proof ? { proof } : {}) },
    commits: { ...DEFAULT_COMMITS, ...merged.commits },
    env,
    passEnv,
    protect: [...new Set([...(own.protect ?? []), ...(user.protect ?? [])])],
    accept: [...(own.accept ?? []), ...(user.accept ?? [])],
    commands: [
      ...(merged.setup === undefined ? [] : [`setup: ${merged.setup}`]),
      ...brought.map((step) => `gate: ${step.command}`),
      ...called.map(([name, text]) => `script ${name}: ${text}`),
      ...Object.entries(env).map(([name, value]) => `env: ${name}=${value}`),
      ...passEnv.map((name) => `env: your own ${name}, for setup, agents and gate`),
      ...outside,
    ],
    hash: hashOf({
      setup: merged.setup ?? null,
      gate: brought.map(({ command, dir, env: own }) =>
        dir === undefined && own === undefined ? command : { command, dir, own },
      ),
      called,
      env,
      ...(outside.length > 0 ? { outside } : {}),
      ...(passEnv.length > 0 ? { passEnv } : {}),
    }),
    scripts,
    notes,
  };
}

const hashOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
