import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangeEvenly, growLayout, settleLayout } from './even-grid.ts';
import { dropPlace, layoutRects, neighbour } from './rects.ts';
import { parseLayout } from './storage.ts';
import {
  type Edge,
  insertBeside,
  type Layout,
  type LayoutNode,
  leaf,
  paneAfter,
  paneIds,
  removePane,
  replacePane,
  resizeSplit,
  swapPanes,
} from './tree.ts';

const grow = (ids: readonly string[], aspect = 1.4): Layout =>
  ids.reduce<Layout>((layout, id) => growLayout(layout, id, aspect), undefined);

const EDGES: readonly Edge[] = ['left', 'right', 'top', 'bottom'];

function check(node: LayoutNode): void {
  if (node.kind === 'leaf') return;
  expect(node.children.length).toBeGreaterThan(1);
  expect(node.shares).toHaveLength(node.children.length);
  expect(node.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  for (const child of node.children) {
    if (child.kind === 'split') expect(child.direction).not.toBe(node.direction);
    check(child);
  }
}

describe('the pane layout', () => {
  it('stays an even grid while nobody has arranged it', () => {
    expect(layoutRects(grow(['a', 'b', 'c', 'd'])).panes).toEqual([
      { id: 'a', left: 0, top: 0, width: 0.5, height: 0.5 },
      { id: 'b', left: 0.5, top: 0, width: 0.5, height: 0.5 },
      { id: 'c', left: 0, top: 0.5, width: 0.5, height: 0.5 },
      { id: 'd', left: 0.5, top: 0.5, width: 0.5, height: 0.5 },
    ]);
  });

  it('halves the largest pane once a person has arranged it', () => {
    const arranged = insertBeside(grow(['a', 'b', 'c', 'd']), 'a', 'e', 'right');
    const before = new Map(layoutRects(arranged).panes.map((pane) => [pane.id, pane]));
    const after = layoutRects(growLayout(arranged, 'f', 1.4)).panes;
    const moved = after.filter((pane) => pane.id !== 'f' && before.get(pane.id)?.width !== pane.width);
    expect(after).toHaveLength(6);
    expect(moved.length).toBeLessThanOrEqual(1);
  });

  it('takes fewer columns in a narrow window, and only an untouched grid', () => {
    const layout = grow(['a', 'b', 'c', 'd']);
    const narrow = settleLayout(layout, 440, 650);
    expect(layoutRects(narrow).panes.map((pane) => pane.width)).toEqual([1, 1, 1, 1]);
    expect(settleLayout(narrow, 1100, 800)).toEqual(layout);
    expect(settleLayout(layout, 900, 800)).toBe(layout);
    const arranged = insertBeside(layout, 'a', 'e', 'right');
    expect(settleLayout(arranged, 440, 650)).toBe(arranged);
  });

  it('keeps its invariants and its panes through any operations', () => {
    const operation = fc.record({
      what: fc.constantFrom('beside', 'grow', 'remove', 'swap', 'replace', 'even', 'resize'),
      a: fc.integer({ min: 0, max: 7 }),
      b: fc.integer({ min: 0, max: 7 }),
      edge: fc.constantFrom(...EDGES),
      delta: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        let layout: Layout;
        for (const { what, a, b, edge, delta } of operations) {
          const [x, y] = [`p${a}`, `p${b}`];
          if (what === 'beside') layout = insertBeside(layout, x, y, edge);
          if (what === 'grow') layout = growLayout(layout, x, 1.4);
          if (what === 'remove') layout = removePane(layout, x);
          if (what === 'swap') layout = swapPanes(layout, x, y);
          if (what === 'replace') layout = replacePane(layout, x, y);
          if (what === 'even') layout = arrangeEvenly(layout, 1.4);
          if (what === 'resize') layout = resizeSplit(layout, [], a, delta, 0.05);
          if (layout) check(layout);
          const ids = paneIds(layout);
          expect(new Set(ids).size).toBe(ids.length);
          const area = layoutRects(layout).panes.reduce((sum, pane) => sum + pane.width * pane.height, 0);
          expect(area).toBeCloseTo(ids.length > 0 ? 1 : 0);
          expect(parseLayout(JSON.stringify({ layout, seen: [] }))?.layout).toEqual(layout);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('knows the pane after one, or before the last', () => {
    const layout = insertBeside(insertBeside(leaf('a'), 'a', 'b', 'right'), 'b', 'c', 'bottom');
    expect(['a', 'b', 'c', 'x'].map((id) => paneAfter(layout, id))).toEqual(['b', 'c', 'b', undefined]);
    expect(paneAfter(leaf('a'), 'a')).toBeUndefined();
  });

  it('gives a removed pane’s place to its siblings', () => {
    expect(layoutRects(removePane(grow(['a', 'b', 'c', 'd']), 'b')).panes).toContainEqual({
      id: 'a',
      left: 0,
      top: 0,
      width: 1,
      height: 0.5,
    });
  });

  it('moves a border within what both neighbours can give', () => {
    const layout = insertBeside(grow(['a']), 'a', 'b', 'right');
    expect(layoutRects(resizeSplit(layout, [], 0, 0.2, 0.1)).panes[0]?.width).toBeCloseTo(0.7);
    expect(layoutRects(resizeSplit(layout, [], 0, 5, 0.1)).panes[0]?.width).toBeCloseTo(0.9);
  });

  it('finds the neighbour that shares most of the side', () => {
    const layout = grow(['a', 'b', 'c', 'd']);
    expect(neighbour(layout, 'a', 'right')).toBe('b');
    expect(neighbour(layout, 'a', 'bottom')).toBe('c');
    expect(neighbour(layout, 'a', 'left')).toBeUndefined();
  });

  it('drops near an edge as a split and in the middle as a swap', () => {
    const layout = insertBeside(grow(['a']), 'a', 'b', 'right');
    expect(dropPlace(layout, 0.51, 0.5)).toEqual({ targetId: 'b', place: 'left' });
    expect(dropPlace(layout, 0.75, 0.5)).toEqual({ targetId: 'b', place: 'centre' });
    expect(dropPlace(layout, 2, 0.5)).toBeUndefined();
  });

  it.each([
    '',
    '{',
    '[]',
    '{"layout":{"kind":"leaf"}}',
    '{"layout":{"kind":"split","direction":"row","children":[],"shares":[]}}',
  ])('takes a damaged store (%s) as none', (text) => {
    expect(parseLayout(text)?.layout).toBeUndefined();
  });
});
