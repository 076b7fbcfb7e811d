import type { GateResult, GateStep, StepResult } from '../../../shared/domain.ts';
import { gitList } from '../../git/git.ts';
import { matchesAny } from '../../paths/globs.ts';
import { calledScripts } from '../commands/script-calls.ts';
import { readCommitText } from '../policy/commit-files.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import { isGateConfig, isReadByGate } from '../tampering/gate-files.ts';
import { gateModules } from '../tampering/gate-modules.ts';
import { gatePrograms, needsText } from '../tampering/tampering.ts';
import { reusableResults } from './reuse.ts';
import { digest, stepKeys } from './step-keys.ts';

export type ReusePlan = {
  /** Of every step, by name: recorded with its result. */
  keys: ReadonlyMap<string, string>;
  /** Results that stand for a run, by name. */
  results: ReadonlyMap<string, StepResult>;
  /** Of every step, by name: what its kept caches are good for, whatever the sources. */
  caches: ReadonlyMap<string, string>;
};

/** Programs and options that look at commits and not at files alone. */
const HISTORY =
  /\bgit\b|\b(commitlint|danger|lint-staged|affected)\b|--(changed|since|affected|only-?changed|last-?commit|base|head|from|to)\b|\.\.\.\[|\bHEAD\b|\borigin\//i;
/** Prose at the top; other files there are settings of something. */
const PROSE = /\.(md|mdx|txt|rst)$|^(licen[cs]e|copying|notice|authors)\b/i;

async function treeFiles(cwd: string, commit: string): Promise<Map<string, string>> {
  const rows = await gitList(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], { cwd });
  return new Map(
    rows.map((row) => {
      const tab = row.indexOf('\t');
      return [row.slice(tab + 1), row.slice(0, tab)] as const;
    }),
  );
}

/**
 * What the gate of `commit` may take over from `earlier` gates of the same job, read from git at `cwd`. Whatever defines the
 * gate counts for every step, as do files at the top; a step that looks at the history hangs on its very commit.
 */
export async function planReuse(options: {
  cwd: string;
  commit: string;
  base: string;
  policy: Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts' | 'hash' | 'env'>;
  /** Key of what is installed. */
  installedKey: string | undefined;
  /** The programs that steps find; see `PATH`. */
  path: string | undefined;
  earlier: readonly GateResult[];
  nowMs: number;
}): Promise<ReusePlan> {
  const { cwd, commit, base, policy } = options;
  const texts = new Map<string, string | undefined>();
  const read = async (path: string): Promise<string | undefined> => {
    if (!texts.has(path)) texts.set(path, await readCommitText(cwd, commit, path));
    return texts.get(path);
  };
  const programs = new Set<string>();
  const history = new Set<string>();
  for (const step of policy.gate) {
    const lines = [step.command, ...calledScripts([step.command], policy.scripts).map(([, text]) => text)];
    const modules = await gateModules(gatePrograms({ ...policy, gate: [step] }), read);
    for (const path of modules) programs.add(path);
    const all = [...lines, ...[...modules].map((path) => texts.get(path) ?? '')];
    if (all.some((text) => HISTORY.test(text))) history.add(step.name);
  }
  const calls = [...policy.gate.map(({ command }) => command), ...Object.values(policy.scripts)];
  const countsForAll = (path: string): boolean =>
    (!path.includes('/') && !PROSE.test(path)) ||
    isGateConfig(path) ||
    needsText(path) ||
    isReadByGate(path, calls) ||
    programs.has(path) ||
    /(^|\/)node_modules\//.test(path) ||
    matchesAny(path, policy.protect);
  const files = await treeFiles(cwd, commit);
  const setting = {
    policy: policy.hash,
    env: policy.env,
    installed: options.installedKey ?? null,
    path: options.path ?? null,
    machine: [process.platform, process.arch, process.version],
  };
  const keys = stepKeys(policy.gate, {
    files,
    countsForAll,
    setting,
    historyOf: ({ name }: GateStep) => (history.has(name) ? [commit, base] : undefined),
  });
  const byName = new Map(policy.gate.map(({ name }, index) => [name, keys[index] ?? '']));
  const defining = [...files].filter(([path]) => countsForAll(path));
  const caches = new Map(
    policy.gate.map(({ name, command, dir, env, caches: paths }) => [
      name,
      digest([setting, command, dir ?? null, env ?? null, paths ?? null, defining]),
    ]),
  );
  return {
    caches,
    keys: byName,
    results: reusableResults(policy.gate, byName, options.earlier, options.nowMs),
  };
}
