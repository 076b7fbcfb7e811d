import type { Finding } from '../../../shared/gate-report.ts';
import { NOT_PARTS } from '../../slots/install/managers.ts';
import { hollowReason } from '../commands/hollow.ts';
import { isNpmInitTest, managerOf, parsePackage, runScript } from '../commands/package-scripts.ts';
import { isSource } from './areas.ts';
import type { Facts, Reach } from './facts.ts';
import type { Invocation } from './invocations.ts';
import { isLint } from './lint-facts.ts';
import { isOtherTestRun, isTestRun } from './test-facts.ts';
import { isTypecheck } from './typecheck-facts.ts';

type Role = 'lint' | 'typecheck' | 'test' | 'build';

/** What a script is for, by what it starts and, where that does not tell, by its name. */
function roleOf(name: string, reach: Reach): Role | undefined {
  if (reach.tests.length > 0 || reach.otherTestDirs.length > 0) return 'test';
  if (reach.typechecks.length > 0 && !/build/i.test(name)) return 'typecheck';
  if (reach.lints.length > 0) return 'lint';
  if (/^lint/.test(name)) return 'lint';
  if (/^(type-?check|check-types|tsc)/.test(name)) return 'typecheck';
  if (/^(tests?|spec|e2e)(:|$)/.test(name)) return 'test';
  return /^build$/.test(name) ? 'build' : undefined;
}

const WHY: Readonly<Record<Role, string>> = {
  lint: 'what it would find gets through',
  typecheck: 'type errors get through',
  test: 'a failure of these tests gets through',
  build: 'code that does not build gets through',
};

const plainWords = (args: readonly string[]): string => args.filter((arg) => !arg.startsWith('-')).join(' ');

/** Whatever the script reads is read by the gate: another way to run the same checks, e.g. with coverage. */
function readsNoMore(reach: Reach, gate: Reach): boolean {
  const others = reach.invocations.filter(isOtherTestRun);
  const sameRun = ({ program, args, dir }: Invocation): boolean =>
    gate.invocations.some(
      (each) => each.program === program && each.dir === dir && plainWords(each.args) === plainWords(args),
    );
  if (!others.every(sameRun)) return false;
  const linted = new Set(gate.lints.map(({ label, dir }) => `${dir} ${label}`));
  if (reach.lints.some(({ label, dir }) => !linted.has(`${dir} ${label}`))) return false;
  const tests = new Set(gate.tests.flatMap((fact) => [...fact.collected]));
  const types = new Set(gate.typechecks.flatMap((fact) => [...fact.covered]));
  const known = reach.tests.length + reach.typechecks.length + others.length;
  return (
    known > 0 &&
    reach.tests.every((fact) =>
      fact.unread === undefined
        ? [...fact.collected].every((path) => tests.has(path))
        : sameRun(fact.invocation),
    ) &&
    reach.typechecks.every(
      (fact) => fact.unread === undefined && [...fact.covered].every((path) => types.has(path)),
    )
  );
}

/** Checks that exist and that the gate does not run; each can be added with one action. */
export function scriptFindings(facts: Facts): Finding[] {
  const rootPackage = facts.read('package.json');
  const { manager = 'npm' } = managerOf(
    (path) => facts.files.includes(path),
    rootPackage === undefined ? undefined : parsePackage(rootPackage),
  );
  const groups = new Map<string, Unwired[]>();
  const reached = new Set(
    facts.gate.invocations.map(({ program, args, dir }) => [dir, program, ...args].join(' ')),
  );
  for (const [key, reach] of facts.unwired) {
    const at = key.indexOf(':');
    const [dir, name] = [key.slice(0, at), key.slice(at + 1)];
    const owner = facts.packages.find((each) => each.dir === dir);
    const text = owner?.scripts[name] ?? '';
    if (text.trim() === '' || isNpmInitTest(text) || hollowReason(text, owner?.scripts ?? {}) !== undefined)
      continue;
    const role = roleOf(name, reach);
    if (role === undefined) continue;
    if (readsNoMore(reach, facts.gate) || isSumOfOthers(key, facts)) continue;
    if (role === 'lint' && dir !== '' && isLinted(facts, dir)) continue;
    // All that it starts is started by the gate in another way.
    if (
      reach.invocations.length > 0 &&
      reach.invocations.every(({ program, args, dir: where }) =>
        reached.has([where, program, ...args].join(' ')),
      )
    )
      continue;
    const command = dir === '' ? runScript(manager, name) : `${manager} --prefix ${dir} run ${name}`;
    const group = dir === '' ? `${name} ` : `${name} ${role}`;
    groups.set(group, [...(groups.get(group) ?? []), { dir, name, role, command }]);
  }
  const workspaces =
    facts.files.includes('pnpm-workspace.yaml') || /"workspaces"\s*:/.test(rootPackage ?? '');
  return [...groups.values()].map((group) => findingOf(group, workspaces));
}

/** A script that calls other checks which are in the gate or proposed by themselves. */
function isSumOfOthers(key: string, { gate, unwired }: Facts): boolean {
  const checks = ({ invocations }: Reach): string[] =>
    invocations
      .filter((each) => isTypecheck(each) || isTestRun(each) || isOtherTestRun(each) || isLint(each))
      .map(({ dir, program, args }) => [dir, program, ...args].join(' '));
  const own = unwired.get(key);
  const called = [...unwired].filter(
    ([other]) => other !== key && own?.invocations.some(({ scripts }) => scripts.includes(other)),
  );
  if (own === undefined || called.length === 0) return false;
  const elsewhere = new Set([...checks(gate), ...called.flatMap(([, reach]) => checks(reach))]);
  return checks(own).length > 0 && checks(own).every((each) => elsewhere.has(each));
}

/** Every source of the package is linted from the top. */
function isLinted(facts: Facts, dir: string): boolean {
  const sources = facts.files.filter((path) => path.startsWith(`${dir}/`) && isSource(path));
  return (
    sources.length > 0 &&
    sources.every((path) => facts.gate.lints.some((lint) => lint.whyNot(path) === undefined))
  );
}

type Unwired = { dir: string; name: string; role: Role; command: string };

/** One finding for a script of the top, one for the scripts of the same name in packages. */
function findingOf(all: readonly Unwired[], workspaces: boolean): Finding {
  const [first] = all;
  const { name, role, dir } = first ?? { name: '', role: 'test' as const, dir: '' };
  const where = dir === '' ? '' : all.length === 1 ? ` of ${dir}` : ` of ${all.length} packages`;
  return {
    kind: role === 'build' ? 'no-build' : 'script-not-wired',
    severity: 'warning',
    title: `script ${name}${where} (${role}) is not in the gate`,
    files: all.map((each) => (each.dir === '' ? 'package.json' : `${each.dir}/package.json`)).sort(),
    why: WHY[role],
    fix:
      !workspaces && all.some((each) => NOT_PARTS.test(each.dir))
        ? {
            kind: 'advice',
            text: 'a slot does not install what such packages need: add a step that installs them and runs it',
          }
        : {
            kind: 'policy',
            text: `add ${all.length === 1 ? `the step \`${first?.command}\`` : `${all.length} steps`}`,
            addSteps: all.map((each) => ({
              name: each.dir === '' ? each.name : `${each.dir} ${each.name}`,
              run: each.command,
            })),
          },
    hidesWork: false,
  };
}
