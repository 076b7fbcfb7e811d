import type { Finding } from '../../../shared/gate-report.ts';
import { hollowReason } from '../commands/hollow.ts';
import { calledScripts } from '../commands/script-calls.ts';
import type { Facts } from './facts.ts';
import { MISSING_SCRIPT } from './invocations.ts';

const CHECK_NAME = /^(?!pre|post).*(test|spec|unit|e2e|type|tsc|lint|check|build|verify)/i;

type Line = {
  text: string;
  scripts: Readonly<Record<string, string>>;
  where: string;
  /** Name of the script; empty for the step's own command. */
  script: string;
  /** It claims to be a check, so it must be able to fail. */
  check: boolean;
};

/** The gate's own command lines and those of the check scripts behind them. */
function linesOf(facts: Facts): Line[] {
  const lines: Line[] = facts.policy.gate.map(({ name, command }) => ({
    check: true,
    script: '',
    text: command,
    scripts: facts.policy.scripts,
    where: `step ${name}`,
  }));
  const seen = new Set<string>();
  for (const { scripts } of facts.gate.invocations) {
    for (const key of scripts) {
      if (seen.has(key)) continue;
      seen.add(key);
      const at = key.indexOf(':');
      const owner = facts.packages.find(({ dir }) => dir === key.slice(0, at));
      const name = key.slice(at + 1);
      const text = owner?.scripts[name];
      if (owner && text !== undefined) {
        lines.push({
          check: CHECK_NAME.test(name),
          script: name,
          text,
          scripts: owner.scripts,
          where: `script ${name}${owner.dir === '' ? '' : ` of ${owner.dir}`}`,
        });
      }
    }
  }
  return lines;
}

/** Steps that can't fail, pass without having tested, or look at less than everything. */
export function commandFindings(facts: Facts): Finding[] {
  const findings: Finding[] = [];
  const add = (finding: Omit<Finding, 'files' | 'fix'> & { advice: string }): void => {
    const { advice, ...rest } = finding;
    if (findings.some(({ kind, why }) => kind === rest.kind && why === rest.why)) return;
    findings.push({ ...rest, files: [], fix: { kind: 'advice', text: advice } });
  };
  const lines = linesOf(facts);
  const hollowScripts = new Set(
    lines
      .filter(
        ({ script, text, scripts, check }) =>
          script !== '' && check && hollowReason(text, scripts, facts.read) !== undefined,
      )
      .map(({ script }) => script),
  );
  for (const { text, scripts, where, check, script } of lines) {
    // Told once, where it is: not again for all that call it.
    const inner = calledScripts([text], scripts).some(([name]) => name !== script && hollowScripts.has(name));
    const hollow = check && !inner ? hollowReason(text, scripts, facts.read) : undefined;
    if (hollow !== undefined) {
      add({
        kind: 'step-cannot-fail',
        severity: 'error',
        title: `${where} can not fail`,
        why: `${hollow}, so it says nothing about the code`,
        advice: 'let the exit code of the check through',
        hidesWork: true,
      });
    }
    if (/--pass-?with-?no-?tests\b/i.test(text)) {
      add({
        kind: 'passes-without-tests',
        severity: 'warning',
        title: `${where} passes without tests`,
        why: 'a pattern that matches nothing looks like success (--passWithNoTests)',
        advice: 'take the option out; a gate step that executed no test is not green here anyway',
        hidesWork: false,
      });
    }
    if (
      /(^|\s)(--only-?changed|--changed|--changedSince|--findRelatedTests|lint-staged)\b|\bjest\b[^|&;]* -o\b|\bvitest related\b/i.test(
        text,
      )
    ) {
      add({
        kind: 'only-changed',
        severity: 'warning',
        title: `${where} looks only at what is changed in the work tree`,
        why: 'in a slot everything is committed, so it may look at nothing',
        advice: 'check everything, or what differs from the base branch',
        hidesWork: false,
      });
    }
    if (/set -o pipefail/.test(text) && /\|/.test(text)) {
      add({
        kind: 'pipe-needs-bash',
        severity: 'info',
        title: `${where} needs bash`,
        why: 'pipefail is an error in a plain sh (dash), which runs scripts on many machines',
        advice: 'write to the file with > instead of a pipe, or name bash',
        hidesWork: false,
      });
    }
    if (/\beslint\b[^|&;]*--quiet\b|--no-error-on-unmatched-pattern\b/.test(text)) {
      add({
        kind: 'lint-hides-warnings',
        severity: 'warning',
        title: `${where} hides what it finds`,
        why: /--quiet/.test(text)
          ? 'warnings are not shown (--quiet)'
          : 'a pattern that matches no file is no error',
        advice: /--quiet/.test(text)
          ? 'use --max-warnings 0 instead'
          : 'take --no-error-on-unmatched-pattern out',
        hidesWork: false,
      });
    }
    const mends =
      /\b(eslint|oxlint|stylelint|xo|ruff)\b[^|&;]*\s(--fix(-dry-run)?)\b|\bbiome (?:check|lint)\b[^|&;]*\s(--write|--apply|--fix)\b/.exec(
        text,
      );
    if (mends) {
      add({
        kind: 'lint-hides-warnings',
        severity: 'warning',
        title: `${where} mends what it finds`,
        why: `what it can mend it changes in the slot only (${mends[2] ?? mends[3]}), and later steps see that; the commit keeps the fault`,
        advice: 'check without the option, and give mending a script of its own',
        hidesWork: false,
      });
    }
    if (/\b(vitest|jest)\b[^|&;]*\s(-u|--update(Snapshot)?)(\s|$)|--(test-)?update-snapshots\b/.test(text)) {
      const kept = facts.files.some((path) => /\.snap(shot)?$|-snapshots\//.test(path));
      add({
        kind: 'step-cannot-fail',
        severity: kept ? 'error' : 'warning',
        title: `${where} rewrites the snapshots that it should hold results against`,
        why: 'whatever the result is becomes what is expected',
        advice: 'take the option out',
        hidesWork: kept,
      });
    }
    if (/^\s*(cross-env \S+ )?vitest\s*$/.test(text) || /\b(vitest|jest)\b[^|&;]*--watch\b/.test(text)) {
      add({
        kind: 'waits-for-input',
        severity: 'info',
        title: `${where} may watch for changes instead of ending`,
        why: 'it ends only because the gate sets CI and gives no terminal',
        advice: 'say `vitest run`',
        hidesWork: false,
      });
    }
  }
  for (const { name, command, evidence } of facts.policy.gate) {
    if (evidence === 'none' || facts.gate.invocations.some(({ step }) => step === name)) continue;
    if (findings.some(({ kind }) => kind === 'step-cannot-fail')) continue;
    if (!/^npm\b.* (--if-present|--workspaces|-ws)\b/.test(command) || /--filter|-w\b/.test(command))
      continue;
    add({
      kind: 'step-cannot-fail',
      severity: 'error',
      title: `step ${name} starts nothing`,
      why: `"${command}" calls scripts that no package of the repository has`,
      advice: 'name a script that exists',
      hidesWork: true,
    });
  }
  for (const { step, program, args } of facts.gate.invocations) {
    if (program !== MISSING_SCRIPT) continue;
    add({
      kind: 'script-missing',
      severity: 'error',
      title: `step ${step} calls a script that does not exist`,
      why: `package.json has no script ${args[0]}`,
      advice: 'correct the name in the policy',
      hidesWork: false,
    });
  }
  return findings;
}
