import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatch } from '../../paths/globs.ts';
import { mayTouch, stepOrder } from './step-order.ts';

type Declared = { reads?: string[]; writes?: string[]; after?: string[]; command?: string };
const order = (...steps: Declared[]): number[][] =>
  stepOrder(steps.map((step, index) => ({ name: `s${index}`, command: 'x', ...step })));

describe('stepOrder', () => {
  it.each<[string, Declared, Declared]>([
    ['nothing is declared', {}, {}],
    ['only one declares', { writes: [] }, {}],
    ['reads alone are declared', { reads: ['a/'] }, { reads: ['b/'] }],
    ['the later one reads anything', { writes: ['dist'] }, { writes: [] }],
    [
      'the earlier one reads what the later one writes',
      { reads: ['gen/a'], writes: [] },
      { reads: ['src'], writes: ['gen'] },
    ],
    ['both write in one place', { reads: [], writes: ['out/a'] }, { reads: [], writes: ['OUT'] }],
    ['a glob may mean anything', { reads: ['src'], writes: ['**/*.snap'] }, { reads: ['src'], writes: [] }],
    ['it was asked for', { writes: [] }, { writes: [], after: ['s0'] }],
  ])('keeps two steps in order where %s', (_what, first, second) => {
    expect(order(first, second)).toEqual([[], [0]]);
  });

  it.each<[string, Declared, Declared]>([
    ['neither writes', { writes: [] }, { writes: [] }],
    [
      'what is written is read by neither',
      { reads: ['src/**'], writes: ['dist/**'] },
      { reads: ['src/'], writes: ['coverage'] },
    ],
    ['both are built in', { command: 'builtin:secrets' }, { command: 'builtin:markdown' }],
  ])('lets two steps run side by side where %s', (_what, first, second) => {
    expect(order(first, second)).toEqual([[], []]);
  });

  it('lets a step that declares nothing wait for all before it, and all behind it wait for it', () => {
    expect(order({ writes: [] }, { writes: [] }, {}, { writes: [] }, { writes: [] })).toEqual([
      [],
      [],
      [0, 1],
      [2],
      [2],
    ]);
  });
});

const segment = fc.constantFrom('a', 'b', 'A', 'x.ts', '*', '*.ts', '**', '{a,b}', 'a?');
const glob = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'x.ts', 'y.ts'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));

it('sees that two globs may meet wherever some path matches both', () => {
  fc.assert(
    fc.property(glob, glob, path, (writes, reads, file) => {
      fc.pre(globMatch(writes, true)(file) && globMatch(reads, true)(file));
      const step = { name: 's', command: 'x' };
      expect(mayTouch({ ...step, writes: [writes] }, { ...step, reads: [reads], writes: [] })).toBe(true);
    }),
  );
});
