import { isNpmInitTest, type Manager, runScript, type Scripts } from '../commands/package-scripts.ts';
import { calledScripts } from '../commands/script-calls.ts';
import { chainOf, sureRuns } from '../commands/sure-runs.ts';

const TYPECHECK = ['typecheck', 'type-check', 'check-types', 'tsc'];
/** They read sources alone, whatever was made of them: the quickest answer, and never another one after a build. */
const SOURCE_LINTERS = new Set(['biome', 'prettier', 'oxlint', 'stylelint', 'standard', 'cspell', 'dprint']);
/** Makes ignored files that type checks need, by itself, without network or a database. */
const GENERATES =
  /^(?:prisma generate|svelte-kit sync|astro sync|(?:nuxi|nuxt) prepare|react-router typegen|next typegen|panda codegen|paraglide-js compile|velite|fumadocs-mdx|contentlayer2? build)(?= |$)/;
const GENERATOR_NAME = /^(?:codegen|generate|gen|typegen)(?:$|:)|:(?:codegen|generate|gen|typegen)$/;

export type DefaultGate = {
  steps: { name: string; command: string; evidence?: 'none'; covers?: string[] }[];
  /** What was found, and what follows from it. */
  notes: string[];
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

function looksGenerating(text: string): boolean {
  const chain = chainOf(text);
  return chain?.isWhole === true && chain.commands.every(({ words }) => GENERATES.test(words.join(' ')));
}

function lintsSourcesAlone(text: string): boolean {
  const chain = chainOf(text);
  return (
    chain?.isWhole === true &&
    chain.commands.every(
      ({ words }) =>
        SOURCE_LINTERS.has(words[0] ?? '') && !words.some((word) => /type-?(?:aware|check)/.test(word)),
    )
  );
}

/**
 * Pure: the gate of a repository that names none. Its scripts lint, typecheck, test and build are the checks; one that
 * another surely runs is no step of its own. What makes files comes first, so that a check finds what it would find
 * in a checkout that people work in.
 */
export function defaultGate(scripts: Scripts, manager: Manager): DefaultGate {
  const notes: string[] = [];
  const checks: string[] = [];
  for (const name of ['lint', TYPECHECK.find((each) => scripts[each] !== undefined), 'test', 'build']) {
    const text = name === undefined ? undefined : scripts[name];
    if (name === undefined || text === undefined || text.trim() === '') continue;
    if (isNpmInitTest(text))
      notes.push(`script ${name} is npm's placeholder and checks nothing; it is left out`);
    else checks.push(name);
  }
  const runs = new Map(checks.map((name) => [name, sureRuns(name, scripts, manager)]));
  let kept = checks;
  for (const name of ['lint', ...TYPECHECK, 'build', 'test']) {
    const others = kept.filter((other) => other !== name);
    // What runs it stays, or is run itself by what stays: the relation is transitive.
    if (kept.includes(name) && others.some((other) => runs.get(other)?.has(name))) kept = others;
  }
  const repeatedBy = (name: string): string[] =>
    checks.filter((other) => !kept.includes(other) && runs.get(name)?.has(other));
  for (const name of kept) {
    const repeated = repeatedBy(name);
    if (repeated.length > 0)
      notes.push(
        `${listed(repeated)} ${repeated.length > 1 ? 'are' : 'is'} run by ${name}, so not once more`,
      );
  }

  const generators = kept.length === 0 ? [] : unrunGenerators(kept, scripts, manager, notes);
  const first = kept.filter((name) => name === 'lint' && lintsSourcesAlone(scripts[name] ?? ''));
  const making = kept.filter((name) => name === 'build' || runs.get(name)?.has('build'));
  const order = [...new Set([...first, ...making, ...kept])];
  return {
    steps: [
      ...generators.map((name) => ({ name, command: runScript(manager, name), evidence: 'none' as const })),
      ...order.map((name) => {
        const covers = repeatedBy(name).map((other) => runScript(manager, other));
        return { name, command: runScript(manager, name), ...(covers.length > 0 ? { covers } : {}) };
      }),
    ],
    notes,
  };
}

/** Scripts that make what checks read, where neither the checks nor the install run them. */
function unrunGenerators(
  kept: readonly string[],
  scripts: Scripts,
  manager: Manager,
  notes: string[],
): string[] {
  const commands = [`${manager} install`, ...kept.map((name) => runScript(manager, name))];
  const called = calledScripts(commands, scripts);
  const isRun = (name: string, text: string): boolean =>
    called.some(([other, otherText]) => other === name || otherText.includes(text.trim()));
  const unrun = Object.entries(scripts).filter(([name, text]) => text.trim() !== '' && !isRun(name, text));
  const known = unrun.filter(([, text]) => looksGenerating(text)).map(([name]) => name);
  if (known.length > 0) notes.push(`${listed(known)} runs first: it makes files that checks may read`);
  for (const [name] of unrun) {
    if (known.includes(name) || !GENERATOR_NAME.test(name)) continue;
    notes.push(
      `no step runs the script ${name}; if checks need what it makes, name it before them in the gate of headway.yaml`,
    );
  }
  return known;
}
