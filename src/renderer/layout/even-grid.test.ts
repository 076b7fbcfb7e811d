import { describe, expect, it } from 'vitest';
import { arrangeEvenly, fitLayout, growLayout } from './even-grid.ts';
import { insertBeside, type Layout, paneIds } from './tree.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const wide = { width: 740, height: 640 };
const grid = ids.reduce<Layout>((layout, id) => growLayout(layout, id, wide.width / wide.height), undefined);

describe('an even grid in a window that gets smaller', () => {
  it('sends the last panes to the background, keeps the one in focus, and brings them back in their order', () => {
    const start = { layout: grid, squeezed: [], keepId: 'f' };
    const small = fitLayout(start, 430, 640);
    expect(paneIds(small.layout)).toEqual(['a', 'b', 'c', 'f']);
    expect(small.squeezed).toEqual(['d', 'e']);
    const again = fitLayout({ ...small, keepId: 'f' }, wide.width, wide.height);
    expect(paneIds(again.layout).toSorted()).toEqual(ids);
    expect(again.squeezed).toEqual([]);
  });

  it('leaves a grid that fits as it is, and one that a person arranged', () => {
    const fits = fitLayout({ layout: grid, squeezed: [], keepId: undefined }, wide.width, wide.height);
    expect(paneIds(fits.layout)).toEqual(ids);
    const own = insertBeside(arrangeEvenly(grid, 0.5), 'a', 'g', 'left');
    expect(fitLayout({ layout: own, squeezed: [], keepId: undefined }, 200, 200).layout).toBe(own);
  });

  it('never closes the last pane, nor anything while it has no size', () => {
    const one = growLayout(undefined, 'a', 1);
    expect(fitLayout({ layout: one, squeezed: [], keepId: undefined }, 100, 40).layout).toBe(one);
    expect(fitLayout({ layout: grid, squeezed: ['x'], keepId: undefined }, 0, 0)).toEqual({
      layout: grid,
      squeezed: ['x'],
    });
  });
});
