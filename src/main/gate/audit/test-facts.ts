import { type Invocation, isFixture, openWords } from './invocations.ts';
import { playwrightSelection, vitestSelections } from './test-configs.ts';
import { jestSelections, mochaSelection, nodeTestSelection } from './test-globs.ts';
import type { Selection, TestContext } from './test-selection.ts';

/** Which files one run of a test runner picks up. */
export type TestFact = {
  invocation: Invocation;
  step: string;
  scripts: readonly string[];
  runner: string;
  label: string;
  /** Where the rules stand: a configuration file, or the command line. */
  source: string;
  collected: ReadonlySet<string>;
  /** Why a test file is not picked up, where that can be told. */
  leftOut: ReadonlyMap<string, string>;
  /** The configuration computes what decides; nothing is concluded. */
  unread?: string;
  /** It was asked for its list and ended before it could answer. */
  silent?: true;
  /** A pattern that matches the directory in which slots lie. */
  slotPattern?: string;
};

const RUNNERS: Readonly<Record<string, (context: TestContext) => Selection[]>> = {
  vitest: vitestSelections,
  jest: jestSelections,
  mocha: (context) => [mochaSelection(context)],
  _mocha: (context) => [mochaSelection(context)],
  node: (context) => [nodeTestSelection(context)],
  tsx: (context) => [nodeTestSelection(context)],
  playwright: (context) => [playwrightSelection(context)],
};

export function isTestRun({ program, args }: Pick<Invocation, 'program' | 'args'>): boolean {
  if (program === 'node' || program === 'tsx') return args.some((arg) => arg === '--test');
  if (program === 'playwright') return args[0] === 'test';
  if (program === 'vitest') return !/^(init|list|bench)$/.test(args[0] ?? '');
  return Object.hasOwn(RUNNERS, program);
}

/** Files that hold tests by their name, so that some runner should pick them up. */
export const isTestSource = (path: string): boolean =>
  !isFixture(path) &&
  (/[._-](test|spec|e2e)\.[cm]?[jt]sx?$/i.test(path) ||
    (/(^|\/)(test|spec)\.[cm]?[jt]sx?$/i.test(path) && !/(^|\/)(scripts|bin|tools)\//.test(path)));

/** Runners whose choice of files is not read here. */
export const isOtherTestRun = ({ program, args }: Pick<Invocation, 'program' | 'args'>): boolean =>
  /^(ava|tap|tape|tstyche|tsd|playwright-test|brittle|zora|qunit|lab|borp|bnt|poku|lite-?test|wdio|jasmine|karma|cypress|bun test|deno|uvu|wdio|testcafe|nightwatch|react-scripts|ng|web-test-runner|wtr|stryker|pytest|tox|make|just)$/.test(
    program,
  ) &&
  !(program === 'ng' && args[0] !== 'test') &&
  !(program === 'react-scripts' && args[0] !== 'test') &&
  !(program === 'deno' && args[0] !== 'test');

export function testFact(context: TestContext): TestFact {
  const { invocation, tree } = context;
  const selections = (RUNNERS[invocation.program] ?? (() => []))(context);
  const collected = new Set<string>();
  const leftOut = new Map<string, string>();
  for (const path of tree.files.filter(
    (each) => /\.([cm]?[jt]sx?)$/.test(each) && !/\.d\.[cm]?ts$/.test(each),
  )) {
    const output = context.outputs.get(path);
    const reasons = selections.flatMap((selection) =>
      output === undefined ? [selection.whyNot(path)] : [selection.whyNot(path), selection.whyNot(output)],
    );
    if (reasons.some((reason) => reason === undefined)) collected.add(path);
    else if (isTestSource(path)) leftOut.set(path, reasons.at(-1) ?? 'not picked up');
  }
  const builds =
    collected.size === 0 &&
    /(^|[\s/])(dist|build|out|lib|\.?tmp|compiled|\.test-build)(\/|\s|$)/.test(invocation.args.join(' '));
  const open = openWords(invocation);
  const unread =
    open !== undefined
      ? `the command names files by ${open}`
      : builds
        ? `${invocation.program} runs files that a build makes`
        : selections.find((selection) => selection.unread !== undefined)?.unread;
  const slotPattern = selections.find((selection) => selection.slotPattern !== undefined)?.slotPattern;
  return {
    invocation,
    step: invocation.step,
    scripts: invocation.scripts,
    runner: invocation.program === 'node' || invocation.program === 'tsx' ? 'node:test' : invocation.program,
    label: [invocation.program, ...invocation.args].join(' '),
    source: [...new Set(selections.map(({ source }) => source))].join(', '),
    collected,
    leftOut,
    ...(unread === undefined ? {} : { unread }),
    ...(slotPattern === undefined ? {} : { slotPattern }),
  };
}
