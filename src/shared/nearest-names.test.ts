import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

describe('nearestNames', () => {
  it('names what was likely meant, best first', () => {
    const names = ['gate', 'merge', 'caches', 'caps'];
    expect(nearestNames('gaet', names, 1)).toEqual(['gate']);
    expect(nearestNames('cache', names)).toEqual(['caches']);
    expect(nearestNames('Merge', names)).toEqual(['merge']);
    expect(nearestNames('completely-other', names)).toEqual([]);
  });

  it('takes separators and a part of a name for what they are, but no two letters for a part', () => {
    expect(nearestNames('depends_on', ['dependsOn', 'title'], 1)).toEqual(['dependsOn']);
    expect(nearestNames('claude', ['ollama', 'claude-code'])).toEqual(['claude-code']);
    expect(nearestNames('considered', ['id'])).toEqual([]);
  });

  it('puts the name itself first, and returns only given names', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (names) => {
        const [first = ''] = names;
        const near = nearestNames(first, names, names.length);
        expect(near).toContain(first);
        expect(names).toEqual(expect.arrayContaining(near));
      }),
    );
  });
});
