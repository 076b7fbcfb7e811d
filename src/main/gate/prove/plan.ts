import type { BreakKind, ProofCell } from '../../../shared/gate-report.ts';
import { matchesAny } from '../../paths/globs.ts';
import { areaOf, isSource, isToolFile, isTypescript } from '../audit/areas.ts';
import type { Facts } from '../audit/facts.ts';
import { isTestSource } from '../audit/test-facts.ts';
import type { TypescriptApi } from '../audit/typescript.ts';
import { builtinName } from '../builtin/names.ts';
import {
  assertionBreak,
  type Break,
  buildBreak,
  importBreak,
  linkBreak,
  lintBreak,
  typeBreak,
} from './breaks.ts';
import { logicBreak } from './logic-break.ts';

export type Plan = { breaks: Break[]; notApplicable: ProofCell[] };

type Area = { name: string; sources: string[]; tests: string[] };

function areasOf(facts: Facts, only: string | undefined, run: ReadonlySet<string>): Area[] {
  const dirs = facts.packages.map(({ dir }) => dir);
  const areas = new Map<string, Area>();
  for (const path of [...facts.files].sort()) {
    if (!isSource(path) || isToolFile(path)) continue;
    const name = areaOf(path, dirs);
    if (only !== undefined && !matchesAny(path, [only]) && !matchesAny(name, [only])) continue;
    const area = areas.get(name) ?? { name, sources: [], tests: [] };
    areas.set(name, area);
    (isTestSource(path) || run.has(path) ? area.tests : area.sources).push(path);
  }
  return [...areas.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The first Markdown file of each area, where the gate looks at Markdown. */
function notesOf(facts: Facts, only: string | undefined): Map<string, string> {
  const notes = new Map<string, string>();
  if (!facts.policy.gate.some(({ command }) => builtinName(command) === 'markdown')) return notes;
  for (const path of facts.files.filter((each) => /\.(md|markdown)$/i.test(each)).sort()) {
    const area = `${areaOf(path, [])} (notes)`;
    if (only === undefined || matchesAny(path, [only]) || matchesAny(area, [only]))
      notes.set(area, notes.get(area) ?? path);
  }
  return notes;
}

/** The first file that is likely to be missed, else the first one: a proof on a lucky file proves little. */
const chosen = (files: readonly string[], isRead: (path: string) => boolean): string | undefined =>
  files.find((path) => !isRead(path)) ?? files[0];

/** Pure: which faults to put where. The same tree always gives the same plan. */
export function planBreaks(
  ts: TypescriptApi,
  facts: Facts,
  options: { only?: string | undefined; reachedByTests: ReadonlySet<string> },
): Plan {
  const breaks: Break[] = [];
  const notApplicable: ProofCell[] = [];
  const typechecked = new Set(facts.gate.typechecks.flatMap((fact) => [...fact.covered]));
  const run = new Set(facts.gate.tests.flatMap((fact) => [...fact.collected]));
  const linted = (path: string): boolean => facts.gate.lints.some((lint) => lint.whyNot(path) === undefined);
  const reaches = [facts.gate, ...facts.unwired.values()];
  const hasLinter =
    reaches.some((reach) => reach.lints.length > 0) ||
    facts.packages.some(({ scripts }) => 'lint' in scripts);
  const hasBuild =
    facts.packages.some(({ scripts }) => 'build' in scripts) ||
    facts.policy.gate.some(({ command }) => /\bbuild\b/.test(command));
  let id = 0;
  const add = (make: (id: number) => Break | undefined): boolean => {
    const made = make(id + 1);
    if (!made) return false;
    id += 1;
    breaks.push(made);
    return true;
  };
  const skip = (area: string, kind: BreakKind, why: string): void => {
    notApplicable.push({ area, break: kind, file: '', edit: '', result: 'not-applicable', why });
  };
  for (const { name, sources, tests } of areasOf(facts, options.only, run)) {
    for (const [area, files] of [
      [name, sources],
      [`${name} (tests)`, tests],
    ] as const) {
      if (files.length === 0) continue;
      const isTests = files === tests;
      const typed = chosen(files.filter(isTypescript), (path) => typechecked.has(path));
      if (typed === undefined) skip(area, 'type', 'no TypeScript here');
      else add((next) => typeBreak(next, area, typed));
      const lint = chosen(files, linted);
      if (!hasLinter) skip(area, 'lint', 'the repository has no linter');
      else if (lint !== undefined) add((next) => lintBreak(next, area, lint));
      const imported = isTests
        ? chosen(files, (path) => run.has(path))
        : (files.find((path) => options.reachedByTests.has(path)) ?? files[0]);
      if (imported !== undefined) add((next) => importBreak(next, area, imported));
      if (isTests) {
        const test = chosen(files, (path) => run.has(path));
        if (test !== undefined) add((next) => assertionBreak(next, area, test));
        continue;
      }
      const covered = files.filter((path) => options.reachedByTests.has(path));
      const candidates = covered.length > 0 ? covered : files;
      const changed = candidates.some((path) =>
        add((next) => logicBreak(ts, next, area, path, facts.read(path) ?? '')),
      );
      if (!changed) skip(area, 'logic', 'no comparison or arithmetic to turn round');
      const built = files.find((path) => !/(^|\/)(scripts|bin|tools|bench|examples?)\//.test(path));
      if (!hasBuild) skip(area, 'build', 'the repository has no build');
      else if (built === undefined) skip(area, 'build', 'nothing here is built');
      else add((next) => buildBreak(next, area, built));
    }
  }
  for (const [area, file] of notesOf(facts, options.only)) add((next) => linkBreak(next, area, file));
  return { breaks, notApplicable };
}

/** Batches in which no fault hides another: one fault a file, and what breaks loading apart from what tests must still reach. */
export function batchesOf(breaks: readonly Break[]): Break[][] {
  const groups: readonly (readonly BreakKind[])[] = [
    ['type', 'lint', 'assertion'],
    ['import'],
    ['logic'],
    ['build'],
  ];
  const batches: Break[][] = [];
  for (const kinds of groups) {
    let left = breaks.filter(({ kind }) => kinds.includes(kind));
    while (left.length > 0) {
      const files = new Set<string>();
      const batch = left.filter(({ file }) => !files.has(file) && files.add(file));
      batches.push(batch);
      left = left.filter((each) => !batch.includes(each));
    }
  }
  return batches;
}
