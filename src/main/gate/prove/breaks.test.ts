import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { namedBreaks } from './attribute.ts';
import { assertionBreak, importBreak, lintBreak, typeBreak } from './breaks.ts';
import { likelyCause } from './likely-cause.ts';
import { logicBreak } from './logic-break.ts';
import { batchesOf } from './plan.ts';

describe('breaks', () => {
  it('leave valid syntax behind in modules and scripts, with and without a last line end', () => {
    for (const text of [
      '',
      'export const a = 1;',
      "const a = require('a');\n",
      '#!/usr/bin/env node\nfoo();\n',
    ]) {
      for (const make of [typeBreak, lintBreak, importBreak, assertionBreak]) {
        const broken = make(7, 'src', 'src/a.ts').apply(text);
        const file = ts.transpileModule(broken, { reportDiagnostics: true });
        expect(file.diagnostics).toEqual([]);
        expect(broken.startsWith(text)).toBe(true);
      }
    }
  });

  it('copy the way in which a test file writes its tests, or fail the file where there is none', () => {
    expect(assertionBreak(1, 'a', 'a.test.ts').apply("it('x', () => {});")).toContain(
      "it('headway-break-1', () => {",
    );
    expect(assertionBreak(1, 'a', 'a.test.ts').apply('describe.each([])')).toMatch(/\nthrow new Error/);
  });

  it('require what is missing where a file is no module', () => {
    expect(importBreak(2, 'a', 'a.js').apply("require('b');\n")).toContain("require('./headway-break-2.js')");
    expect(importBreak(2, 'a', 'a.mjs').apply('')).toContain('import * as');
  });

  it('turn logic round inside functions only, the same way every time, and not where there is none', () => {
    const text =
      'const top = 1 < 2;\nexport function f(a: number) {\n  if (a === 1) return true;\n  return a < 3;\n}\n';
    const made = logicBreak(ts, 3, 'src', 'src/a.ts', text);
    expect(made?.apply(text)).toBe(
      text.replace('===', '!==').replace('return true', 'return false').replace('a < 3', 'a >= 3'),
    );
    expect(logicBreak(ts, 3, 'src', 'src/a.ts', text)?.edit).toBe(made?.edit);
    expect(logicBreak(ts, 3, 'src', 'src/a.ts', 'export type A = string;')).toBeUndefined();
  });

  it('go into batches with one fault a file, so that none hides another', () => {
    const all = [
      typeBreak(1, 'a', 'x.ts'),
      lintBreak(2, 'a', 'x.ts'),
      typeBreak(3, 'b', 'y.ts'),
      importBreak(4, 'a', 'x.ts'),
    ];
    expect(batchesOf(all).map((batch) => batch.map(({ id }) => id))).toEqual([[1, 3], [2], [4]]);
  });
});

describe('who is named by a red step', () => {
  const ability = { step: 's', typecheck: true, lint: false, test: false, build: false, unknown: false };
  const batch = [
    typeBreak(1, 'a', 'src/a.ts'),
    typeBreak(11, 'b', 'src/b.ts'),
    typeBreak(12, 'c', 'src/c.ts'),
  ];
  const known = {
    baseline: '',
    ability,
    reach: new Map<string, Set<string>>(),
    outputs: new Map<string, string>(),
  };
  const run = (output: string, red = true) => ({ step: 's', red, output, ms: 1 });

  it('is found by its marker, whole, and by its file where the step did not name it before', () => {
    expect(
      namedBreaks(run('not assignable to "headway-break-12"'), batch, known).map(({ id }) => id),
    ).toEqual([12]);
    expect(namedBreaks(run('src/b.ts:3 error'), batch, known).map(({ id }) => id)).toEqual([11]);
    expect(namedBreaks(run('src/b.ts ok'), batch, { ...known, baseline: 'src/b.ts ok' })).toEqual([]);
    expect(namedBreaks(run('headway-break-1', false), batch, known)).toEqual([]);
  });

  it('is not a break that a linter only dislikes the look of', () => {
    const linter = { ...ability, typecheck: false, lint: true };
    const mixed = [
      assertionBreak(21, 'a', 'src/a.test.ts'),
      importBreak(22, 'a', 'src/a.ts'),
      lintBreak(23, 'b', 'src/b.ts'),
    ];
    const text = 'src/a.test.ts:9 quotes headway-break-21\nsrc/a.ts:3 semi\nsrc/b.ts:1 no-debugger';
    const found = namedBreaks(run(text), mixed, { ...known, ability: linter });
    expect(found.map(({ id }) => id)).toEqual([23]);
  });

  it('is found for a change of logic only through a failing test that reaches no other', () => {
    const logic = ['src/a.ts', 'src/b.ts'].map((file, index) => ({
      ...lintBreak(index + 1, 'x', file),
      kind: 'logic' as const,
    }));
    const reach = new Map([
      ['a.test.ts', new Set(['src/a.ts'])],
      ['both.test.ts', new Set(['src/a.ts', 'src/b.ts'])],
    ]);
    const tests = { ...known, ability: { ...ability, test: true }, reach };
    expect(namedBreaks(run(' FAIL  a.test.ts > adds'), logic, tests).map(({ id }) => id)).toEqual([1]);
    expect(namedBreaks(run(' FAIL  both.test.ts > adds\n ✓ a.test.ts'), logic, tests)).toEqual([]);
  });
});

it('names the finding that explains a miss, or says what no step does', () => {
  const finding = {
    kind: 'typecheck-leaves-out' as const,
    severity: 'error' as const,
    title: 'a.test.ts is in no program',
    files: ['a.test.ts'],
    why: '',
    fix: { kind: 'advice' as const, text: '' },
    hidesWork: true,
  };
  expect(likelyCause('type', 'a.test.ts', [finding])).toBe(
    'typecheck-leaves-out: a.test.ts is in no program',
  );
  expect(likelyCause('type', 'b.ts', [finding])).toBe('no step reads this file as part of a program');
});
