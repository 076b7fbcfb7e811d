import type { Finding } from '../../../shared/gate-report.ts';
import { hollowReason } from '../hollow.ts';
import { isNpmInitTest, managerOf, parsePackage, runScript } from '../package-scripts.ts';
import type { Facts, Reach } from './facts.ts';

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

/** Checks that exist and that the gate does not run; each can be added with one action. */
export function scriptFindings(facts: Facts): Finding[] {
  const rootPackage = facts.read('package.json');
  const { manager = 'npm' } = managerOf(
    (path) => facts.files.includes(path),
    rootPackage === undefined ? undefined : parsePackage(rootPackage),
  );
  const findings: Finding[] = [];
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
    // All that it starts is started by the gate in another way.
    if (
      reach.invocations.length > 0 &&
      reach.invocations.every(({ program, args, dir: where }) =>
        reached.has([where, program, ...args].join(' ')),
      )
    )
      continue;
    // A package of a workspace has its scripts run by the root's, or it is a hole of the same kind as the root's own.
    const command = dir === '' ? runScript(manager, name) : `${manager} --prefix ${dir} run ${name}`;
    findings.push({
      kind: role === 'build' ? 'no-build' : 'script-not-wired',
      severity: 'warning',
      title: `script ${name}${dir === '' ? '' : ` of ${dir}`} (${role}) is not in the gate`,
      files: [dir === '' ? 'package.json' : `${dir}/package.json`],
      why: WHY[role],
      fix: {
        kind: 'policy',
        text: `add the step \`${command}\``,
        addSteps: [{ name: dir === '' ? name : `${dir} ${name}`, run: command }],
      },
      hidesWork: false,
    });
  }
  return findings;
}
