import { builtinName } from '../builtin/names.ts';
import type { Facts } from './facts.ts';
import type { Invocation } from './invocations.ts';
import { isLint, type LintFact } from './lint-facts.ts';
import { within } from './test-paths.ts';
import { isTypecheck, type TypecheckFact } from './typecheck-facts.ts';

type Step = Facts['policy']['gate'][number];

const FIXES = /^(--fix(-dry-run)?|--write|--apply(-unsafe)?|--unsafe|-o|--output-file|--cache)(=|$)/;

/**
 * Pure: ways to make the gate quicker that can't change its outcome. A compiler that writes no output and a linter whose rules
 * look at one file at a time may keep what they knew; steps that are known to write nothing may say so.
 */
export function speedProposals(facts: Facts): string[] {
  const proposals: string[] = [];
  for (const step of facts.policy.gate) {
    if (step.caches !== undefined) continue;
    for (const fact of facts.gate.typechecks.filter((each) => each.step === step.name)) {
      if (!/^tsc\b/.test(fact.label) || fact.build || !fact.noEmit || fact.problems.length > 0) continue;
      if (/--tsBuildInfoFile/i.test(fact.label)) continue;
      const flags = 'node_modules/.cache/types';
      proposals.push(cached(facts, step, fact, `--incremental --tsBuildInfoFile ${flags}/info`, flags));
    }
    for (const fact of facts.gate.lints.filter((each) => each.step === step.name)) {
      if (!/^eslint\b/.test(fact.label) || fact.perFile !== true || /--cache-location/.test(fact.label))
        continue;
      const place = 'node_modules/.cache/eslint';
      const flags = `--cache --cache-strategy content --cache-location ${place}/`;
      proposals.push(cached(facts, step, fact, flags, place));
    }
  }
  const readers = facts.policy.gate.filter((step) => readsOnly(facts, step));
  const undeclared = readers.filter(
    ({ writes, command }) => writes === undefined && builtinName(command) === undefined,
  );
  if (readers.length > 1 && undeclared.length > 0) {
    const names = undeclared.map(({ name }) => name).join(', ');
    proposals.push(
      `${names}: writes: [] lets ${readers.map(({ name }) => name).join(', ')} run side by side`,
    );
  }
  return [...new Set(proposals)];
}

/** The step with the flags, and the directory that it keeps for itself. */
function cached(
  facts: Facts,
  step: Step,
  fact: Pick<TypecheckFact | LintFact, 'label'>,
  flags: string,
  place: string,
): string {
  const own = facts.gate.invocations.filter((each) => each.step === step.name);
  const mine = own.find((each) => labelOf(each) === fact.label);
  const caches = `caches: [${within(mine?.dir ?? '', place)}]`;
  if (own.length !== 1)
    return `${step.name}: give \`${fact.label} ${flags}\` a step of its own, with ${caches}`;
  const run = `${step.command}${/\b(npm|bun) (run |test\b)/.test(step.command) && mine?.scripts.length ? ' --' : ''} ${flags}`;
  return `${step.name}: run: ${run}, ${caches}`;
}

const labelOf = ({ program, args }: Invocation): string => [program, ...args].join(' ');

/** All that the step starts is known to write nothing. */
function readsOnly(facts: Facts, step: Step): boolean {
  if (builtinName(step.command) !== undefined || step.writes?.length === 0) return true;
  const own = facts.gate.invocations.filter((each) => each.step === step.name);
  return (
    own.length > 0 &&
    own.every((each) => {
      if (each.args.some((arg) => FIXES.test(arg))) return false;
      if (isTypecheck(each)) {
        const fact = facts.gate.typechecks.find(({ label }) => label === labelOf(each));
        return /^tsc$/.test(each.program) && fact?.noEmit === true && !fact.build && !fact.incremental;
      }
      return isLint(each) && each.program !== 'next';
    })
  );
}
