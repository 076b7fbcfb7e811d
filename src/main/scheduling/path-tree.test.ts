import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keysOverlap, pathKeys } from '../paths/paths.ts';
import { ClaimLayer } from './claim-layer.ts';
import { PathTree } from './path-tree.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'A.ts', 'c', '.a'), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'));
const claims = fc.array(fc.array(path, { minLength: 1, maxLength: 4 }), { maxLength: 20 });

const overlaps = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((mine) => b.some((theirs) => keysOverlap(pathKeys(mine), pathKeys(theirs))));

describe('the tree of claims', () => {
  it('answers as naive pairwise comparison does, for any claims added and removed', () => {
    fc.assert(
      fc.property(claims, fc.array(fc.nat()), claims, (added, removed, asked) => {
        const tree = new PathTree();
        const layer = new ClaimLayer<number>(tree, 0);
        for (const paths of asked) tree.intern(paths);
        const places = added.map((paths) => tree.intern(paths));
        const alive = new Map(added.map((paths, i) => [layer.add(i, places[i] ?? 0), paths]));
        for (const each of removed) {
          const ticket = added.length > 0 ? each % added.length : 0;
          if (alive.delete(ticket)) layer.remove(ticket);
        }
        for (const paths of asked) {
          const place = tree.intern(paths);
          const expected = [...alive]
            .filter(([, theirs]) => overlaps(paths, theirs))
            .map(([ticket]) => ticket);
          const found = new Set<number>();
          layer.each(place, (owner) => found.add(owner));
          expect([...found].sort((a, b) => a - b)).toEqual(expected);
          const first = layer.first(place, Number.POSITIVE_INFINITY);
          expect(first?.ticket).toEqual(expected[0]);
          if (first) {
            expect(overlaps([paths[first.ownIndex] ?? ''], alive.get(first.ticket) ?? [])).toBe(true);
            expect(layer.first(place, first.ticket)).toBeUndefined();
          }
        }
      }),
    );
  });

  it('forgets all claims when it is cleared, and keeps its names', () => {
    const tree = new PathTree();
    const layer = new ClaimLayer<string>(tree, 0);
    const place = tree.intern(['src/ui/button.tsx']);
    const above = tree.intern(['src']);
    const size = tree.size;
    layer.add('a', place);
    layer.clear();
    expect(layer.first(place, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(layer.add('b', tree.intern(['SRC/ui/button.tsx']))).toBe(0);
    expect(tree.size).toBe(size);
    expect(layer.first(above, Number.POSITIVE_INFINITY)?.owner).toBe('b');
  });
});
