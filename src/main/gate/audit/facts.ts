import type { ResolvedPolicy } from '../policy/policy.ts';
import type { Tree } from './commit-tree.ts';
import { type Invocation, invocationsOf, type Package, packagesOf } from './invocations.ts';
import { isLint, type LintFact, lintFact } from './lint-facts.ts';
import { isOtherTestRun, isTestRun, type TestFact, testFact } from './test-facts.ts';
import { isTypecheck, type TypecheckFact, typecheckFact } from './typecheck-facts.ts';
import type { TypescriptApi } from './typescript.ts';

/** What a set of commands reads of a tree. */
export type Reach = {
  invocations: readonly Invocation[];
  typechecks: readonly TypecheckFact[];
  tests: readonly TestFact[];
  lints: readonly LintFact[];
  /** Directories in which tests are run by a runner whose choice of files is not read here. */
  otherTestDirs: readonly string[];
};

export type Facts = {
  policy: Pick<ResolvedPolicy, 'gate' | 'source' | 'scripts' | 'notes'>;
  files: readonly string[];
  read(path: string): string | undefined;
  packages: readonly Package[];
  /** Of the gate. */
  gate: Reach;
  /** Of package.json scripts that the gate does not call, by `dir:name`. */
  unwired: ReadonlyMap<string, Reach>;
};

export function collectFacts(
  ts: TypescriptApi,
  tree: Tree,
  policy: Facts['policy'],
  place: { slotRoot: string },
): Facts {
  const packages = packagesOf(tree);
  const reachOf = (invocations: readonly Invocation[]): Reach => {
    const typechecks = invocations.filter(isTypecheck).map((each) => typecheckFact(ts, tree, each));
    const outputs = new Map(typechecks.flatMap((fact) => [...fact.outputs]));
    return {
      invocations,
      typechecks,
      tests: invocations
        .filter(isTestRun)
        .map((invocation) => testFact({ ts, tree, packages, invocation, outputs, slotRoot: place.slotRoot })),
      lints: invocations.filter(isLint).map((each) => lintFact(ts, tree, each)),
      otherTestDirs: invocations.filter(isOtherTestRun).map(({ dir }) => dir),
    };
  };
  const gate = reachOf(invocationsOf(policy.gate, tree, packages));
  const called = new Set(gate.invocations.flatMap(({ scripts }) => scripts));
  const unwired = new Map<string, Reach>();
  for (const { dir, scripts } of packages) {
    for (const [name, text] of Object.entries(scripts)) {
      const key = `${dir}:${name}`;
      if (called.has(key) || !/test|spec|e2e|type|tsc|lint|check|build|verify/i.test(name)) continue;
      if (/watch|:dev$|^dev|fix|format|update|debug|coverage|^(pre|post)/i.test(name)) continue;
      unwired.set(key, reachOf(invocationsOf([{ name: key, command: text, dir }], tree, packages)));
    }
  }
  return { policy, files: tree.files, read: tree.read, packages, gate, unwired };
}
