import { describe, expect, it } from 'vitest';
import { driftBetween, type OutsideState } from './drift.ts';

const state = (change: Partial<OutsideState> = {}): OutsideState => ({
  config: new Map([['local user.name', '1']]),
  refs: new Map([['refs/heads/topic', 'a']]),
  base: { name: 'main', tip: 'a' },
  head: 'main',
  hooks: new Map([['pre-commit', '10']]),
  staged: new Map(),
  ...change,
});

describe('driftBetween', () => {
  it('says nothing where nothing changed', () => {
    expect(driftBetween(state(), state())).toEqual([]);
  });

  it('names each thing that is new, gone or changed', () => {
    const after = state({
      config: new Map([
        ['local user.name', '2'],
        ['local core.hooksPath', '1'],
      ]),
      refs: new Map([
        ['refs/tags/v1', 'b'],
        ['refs/stash', 'c'],
      ]),
      head: 'other',
      hooks: new Map([['pre-commit', '11']]),
      staged: new Map([['src/a.ts', 'd']]),
    });
    expect(driftBetween(state(), after)).toEqual([
      'config: new local core.hooksPath; changed local user.name',
      'refs: new refs/tags/v1; gone refs/heads/topic',
      'stash: changed',
      'checked out: main before, other now',
      'hooks: changed pre-commit',
      'index: new src/a.ts',
    ]);
  });

  it('does not list hundreds of names', () => {
    const refs = new Map(Array.from({ length: 200 }, (_, index) => [`refs/remotes/origin/${index}`, 'a']));
    expect(driftBetween(state({ refs: new Map() }), state({ refs }))[0]).toMatch(/ and 195 more$/);
  });
});
