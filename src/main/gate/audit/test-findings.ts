import type { Finding, Fix } from '../../../shared/gate-report.ts';
import type { Facts } from './facts.ts';
import { unifiedPatch } from './patch.ts';
import { isTestSource, type TestFact } from './test-facts.ts';

/** Tests that no runner of the gate picks up, and what hides or narrows them. */
export function testFindings(facts: Facts): Finding[] {
  const findings: Finding[] = [];
  const { tests, otherTestDirs } = facts.gate;
  const collected = new Set(tests.flatMap((fact) => [...fact.collected]));
  for (const fact of tests) {
    if (fact.unread !== undefined) {
      const silent = fact.silent === true;
      findings.push({
        kind: 'tests-config-unread',
        severity: silent ? 'error' : 'info',
        title: `what ${fact.runner} picks up could not be read`,
        files: [],
        why: silent
          ? `${fact.unread}; asked for its list, ${fact.runner} was ended before it answered`
          : `${fact.unread}; it is not run to find out`,
        fix: {
          kind: 'advice',
          text: silent
            ? 'run the gate again when the machine is less busy, or write the lists as plain values'
            : 'write the lists as plain values, or look at the tests that the gate counts',
        },
        hidesWork: silent,
      });
    }
    if (fact.slotPattern !== undefined) {
      findings.push({
        kind: 'slot-path-ignored',
        severity: 'error',
        title: `the pattern ${fact.slotPattern} matches the directory of the slots itself`,
        files: fact.source.split(', ').filter((path) => facts.files.includes(path)),
        why: `${fact.runner} holds it against absolute paths, so in a slot every test is ignored`,
        fix: {
          kind: 'advice',
          text: `anchor it: <rootDir>${fact.slotPattern.startsWith('/') || fact.slotPattern.startsWith('\\') ? '' : '/'}${fact.slotPattern}`,
        },
        hidesWork: true,
      });
    }
  }
  const opaque = [...otherTestDirs, ...tests.filter((fact) => fact.unread !== undefined).map(() => '')];
  const unknown = (path: string): boolean => opaque.some((dir) => dir === '' || path.startsWith(`${dir}/`));
  const elsewhere = new Map<string, string>();
  for (const [script, reach] of facts.unwired) {
    for (const fact of reach.tests)
      for (const path of fact.collected) elsewhere.set(path, script.replace(/^:/, ''));
  }
  const missed = facts.files
    .filter((path) => isTestSource(path) && !collected.has(path) && !unknown(path))
    .sort();
  const lost = missed.filter((path) => !elsewhere.has(path));
  if (tests.length > 0 && lost.length > 0) findings.push(neverRun(facts, tests, lost));
  if (tests.length === 0 && otherTestDirs.length === 0 && lost.length > 0 && facts.policy.gate.length > 0) {
    findings.push({
      kind: 'tests-never-run',
      severity: 'warning',
      title: `${lost.length} test files, and no step of the gate runs tests`,
      files: lost,
      why: 'they check nothing as long as nobody runs them',
      fix: { kind: 'advice', text: 'add a step that runs them' },
      hidesWork: false,
    });
  }
  const focused = facts.files.filter(
    (path) => isTestSource(path) && /\b(describe|it|test|suite)\.only\s*[(.]/.test(facts.read(path) ?? ''),
  );
  if (focused.length > 0) {
    findings.push({
      kind: 'focused-tests',
      severity: 'warning',
      title: `${focused.length} test file${focused.length === 1 ? ' runs' : 's run'} only some of ${focused.length === 1 ? 'its' : 'their'} tests (.only)`,
      files: focused.sort(),
      why: 'the other tests of the file are skipped in silence',
      fix: { kind: 'advice', text: 'take .only out' },
      hidesWork: false,
    });
  }
  return findings;
}

function neverRun(facts: Facts, tests: readonly TestFact[], lost: readonly string[]): Finding {
  const reasons = new Map<string, string[]>();
  for (const path of lost) {
    const fact =
      tests.find(
        (each) => each.leftOut.has(path) && !/^(outside|the command)/.test(each.leftOut.get(path) ?? ''),
      ) ?? tests[0];
    const why = `${fact?.source ?? 'the runner'}: ${fact?.leftOut.get(path) ?? 'not picked up'}`;
    reasons.set(why, [...(reasons.get(why) ?? []), path]);
  }
  const why = [...reasons].map(([reason, files]) => `${files.join(', ')} (${reason})`).join('; ');
  return {
    kind: 'tests-never-run',
    severity: 'error',
    title: `${lost.length} test file${lost.length === 1 ? ' is' : 's are'} picked up by no runner of the gate`,
    files: [...lost],
    why: `they can be wrong and the gate stays green: ${why.slice(0, 2000)}`,
    fix: widened(facts, tests, lost),
    hidesWork: true,
  };
}

/** For vitest with a plain list: the list that also holds them. */
function widened(facts: Facts, tests: readonly TestFact[], lost: readonly string[]): Fix {
  const fact = tests.find(({ runner, source }) => runner === 'vitest' && facts.files.includes(source));
  const text = fact === undefined ? undefined : facts.read(fact.source);
  const list = text === undefined ? undefined : /\binclude\s*:\s*\[[^\]]*\]/.exec(text)?.[0];
  const unmatched = lost.some((path) => fact?.leftOut.get(path)?.startsWith('matches none'));
  if (fact === undefined || text === undefined || list === undefined || !unmatched) {
    return {
      kind: 'advice',
      text: 'let the runner pick them up, delete them, or accept it in the policy with a reason',
    };
  }
  const wider = `${list.slice(0, -1).replace(/,\s*$/, '')}, '**/*.{test,spec}.?(c|m)[jt]s?(x)']`;
  return {
    kind: 'patch',
    text: `let include of ${fact.source} match them${lost.some((path) => fact.leftOut.get(path)?.startsWith('excluded')) ? '; what exclude takes out needs a look of its own' : ''}`,
    patch: unifiedPatch(fact.source, text, text.replace(list, wider)),
  };
}
