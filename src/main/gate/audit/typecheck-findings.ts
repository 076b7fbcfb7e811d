import type { Finding } from '../../../shared/gate-report.ts';
import { isSource, isToolFile, isTypescript } from './areas.ts';
import type { Facts } from './facts.ts';
import { isTestSource } from './test-facts.ts';

const several = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** TypeScript that no type checker of the gate reads. */
export function typecheckFindings(facts: Facts): Finding[] {
  const { typechecks } = facts.gate;
  const sources = facts.files.filter((path) => isSource(path) && isTypescript(path));
  if (sources.length === 0) return [];
  const findings: Finding[] = [];
  const covered = new Set(typechecks.flatMap((fact) => [...fact.covered]));
  if (typechecks.length === 0) return facts.policy.gate.length === 0 ? [] : noTypecheck(facts, sources);

  const explained = new Set<string>();
  const unread = typechecks.filter((fact) => fact.unread !== undefined);
  for (const { label, unread: why = '' } of unread) {
    findings.push({
      kind: 'typecheck-unread',
      severity: 'info',
      title: `which files ${label} reads could not be told`,
      files: [],
      why: `${why}; it is not run to find out`,
      fix: { kind: 'advice', text: 'let it read a tsconfig.json that names the files' },
      hidesWork: false,
    });
  }
  for (const fact of typechecks) {
    if (fact.unread !== undefined) continue;
    if (fact.solutionOnly && fact.covered.size === 0) {
      const files = [...fact.unfollowed].filter((path) => !covered.has(path) && isSource(path)).sort();
      for (const path of files) explained.add(path);
      if (files.length === 0) continue; // another step reads them
      findings.push({
        kind: 'typecheck-empty',
        severity: 'error',
        title: `${fact.label}: 0 source files checked; use tsc -b`,
        files,
        why: `${fact.configs[0] ?? 'tsconfig.json'} names no file of its own and only refers to other projects, which tsc follows with -b alone`,
        fix: {
          kind: 'policy',
          text: 'add the step `npx tsc -b`',
          addSteps: [{ name: 'tsc -b', run: 'npx tsc -b' }],
        },
        hidesWork: true,
      });
    } else if (fact.covered.size === 0) {
      findings.push({
        kind: 'typecheck-empty',
        severity: 'error',
        title: `${fact.label}: 0 source files checked`,
        files: fact.configs,
        why: fact.problems.join('; ') || 'no file of the repository is in its program',
        fix: { kind: 'advice', text: 'let include or files name the sources' },
        hidesWork: true,
      });
    }
  }
  const missing = sources.filter((path) => !covered.has(path) && !explained.has(path));
  const elsewhere = new Set(
    [...facts.unwired.values()].flatMap((reach) => reach.typechecks.flatMap((fact) => [...fact.covered])),
  );
  const configs = [...new Set(typechecks.flatMap((fact) => fact.configs))];
  const leave = (files: string[], severity: Finding['severity'], hidesWork: boolean, note: string): void => {
    if (files.length === 0) return;
    const [first = ''] = files;
    const tests = files.filter(isTestSource).length;
    findings.push({
      kind: 'typecheck-leaves-out',
      severity,
      title:
        files.length === 1
          ? `${first} is in no program`
          : `${several(files.length, 'source file')} ${files.length === 1 ? 'is' : 'are'} in no program${tests > 0 ? `, ${several(tests, 'test')} among them` : ''}`,
      files: files.sort(),
      why: `a type error in them stays unseen: ${configs.join(', ') || 'the type checker'} leaves them out${note}`,
      fix: {
        kind: 'advice',
        text: `widen include (or narrow exclude) in ${configs[0] ?? 'tsconfig.json'}, add a tsconfig that reads them, or accept it in the policy with a reason`,
      },
      hidesWork,
    });
  };
  const empty = findings.some(({ kind }) => kind === 'typecheck-empty');
  if (unread.length === 0 && (!empty || missing.length < sources.length)) {
    leave(
      missing.filter((path) => !isToolFile(path) && !elsewhere.has(path)),
      'error',
      true,
      '',
    );
    leave(
      missing.filter((path) => !isToolFile(path) && elsewhere.has(path)),
      'warning',
      false,
      '; a script that is not in the gate reads them',
    );
    leave(missing.filter(isToolFile), 'info', false, '');
  }
  const off = sources.filter((path) =>
    /^\s*\/\/\s*@ts-nocheck/m.test((facts.read(path) ?? '').slice(0, 2000)),
  );
  if (off.length > 0) {
    findings.push({
      kind: 'typecheck-off',
      severity: 'warning',
      title: `${several(off.length, 'file')} switched off type checking`,
      files: off.sort(),
      why: '@ts-nocheck: no type error in them is found',
      fix: { kind: 'advice', text: 'take the comment out, file by file' },
      hidesWork: false,
    });
  }
  return findings;
}

function noTypecheck(facts: Facts, sources: readonly string[]): Finding[] {
  // Tests of types.
  if (facts.gate.invocations.some(({ program }) => /^(tsd|tstyche|attw)$/.test(program))) return [];
  const config = facts.files.find((path) => path === 'tsconfig.json');
  if (config === undefined && !facts.files.some((path) => /(^|\/)tsconfig[\w.-]*\.json$/.test(path)))
    return [];
  const wired = [...facts.unwired].find(([, reach]) => reach.typechecks.length > 0)?.[0];
  if (wired !== undefined) return []; // the script is proposed
  const solution = /"references"/.test(facts.read('tsconfig.json') ?? '');
  const run = solution ? 'npx tsc -b' : 'npx tsc --noEmit';
  return [
    {
      kind: 'no-typecheck',
      severity: 'warning',
      title: `no step checks the types of ${several(sources.length, 'TypeScript file')}`,
      files: [],
      why: 'tests and bundlers drop types without looking at them',
      fix:
        config === undefined
          ? { kind: 'advice', text: 'add a type check to the gate' }
          : { kind: 'policy', text: `add the step \`${run}\``, addSteps: [{ name: 'typecheck', run }] },
      hidesWork: false,
    },
  ];
}
