import type { BreakKind } from '../../../shared/gate-report.ts';
import type { Facts } from '../audit/facts.ts';
import { isOtherTestRun } from '../audit/test-facts.ts';

/** What a gate step may catch, by what it starts. A step that can't be read may catch anything. */
export type Abilities = {
  step: string;
  typecheck: boolean;
  lint: boolean;
  test: boolean;
  build: boolean;
  unknown: boolean;
};

const BUILDERS =
  /^(vite|webpack|rollup|rolldown|esbuild|tsup|tsdown|unbuild|parcel|next|nuxt|astro|ng|react-scripts|electron-vite|ncc|swc|babel|microbundle|bunchee|gulp|grunt|remix|react-router|svelte-kit|vue-cli-service|cargo|go|gradle|mvn|make)$/;

export function abilitiesOf(facts: Facts): Abilities[] {
  return facts.policy.gate.map(({ name, command }) => {
    const mine = <T extends { step: string }>(all: readonly T[]): T[] =>
      all.filter(({ step }) => step === name);
    const invocations = mine(facts.gate.invocations);
    const typecheck = mine(facts.gate.typechecks).length > 0;
    const lint = mine(facts.gate.lints).length > 0;
    const test = mine(facts.gate.tests).length > 0 || invocations.some(isOtherTestRun);
    const emits = mine(facts.gate.typechecks).some((fact) => fact.outputs.size > 0 || fact.build);
    const build =
      emits ||
      invocations.some(
        ({ program, args }) =>
          BUILDERS.test(program) && !/^(lint|test|fmt|clippy|vet|dev|serve)$/.test(args[0] ?? ''),
      ) ||
      /\bbuild\b/.test(`${name} ${command}`);
    const known =
      typecheck || lint || test || (build && invocations.some(({ program }) => BUILDERS.test(program)));
    return { step: name, typecheck, lint, test, build, unknown: !known };
  });
}

/** May the step catch a break of this kind? Only such steps need be run. */
export function couldCatch(ability: Abilities, kind: BreakKind): boolean {
  if (ability.unknown) return true;
  switch (kind) {
    case 'type':
      return ability.typecheck || ability.build || ability.test;
    case 'lint':
      return ability.lint;
    case 'import':
      return ability.typecheck || ability.build || ability.test || ability.lint;
    case 'assertion':
    case 'logic':
      return ability.test;
    default:
      return ability.build;
  }
}
