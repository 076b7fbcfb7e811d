import { type Direction, insertPane, type Layout, type LayoutNode, leaf, paneIds } from './tree.ts';

/** Width by height of a pane that reads well. */
const PANE_ASPECT = 1.4;
/** Narrower, and a terminal has fewer than some thirty columns. */
const MIN_PANE_PX = 260;
/** Lower, and a pane is a title with three lines. */
const MIN_PANE_HEIGHT_PX = 150;

/** An even grid of the same panes in reading order. `aspect` is width / height of the whole grid. */
export function arrangeEvenly(layout: Layout, aspect: number): Layout {
  return evenGrid(paneIds(layout), aspect);
}

/** Adds a pane: an even grid, which nobody has arranged by hand, stays even; else the largest pane is halved. */
export function growLayout(layout: Layout, id: string, aspect: number): Layout {
  const ids = paneIds(layout);
  if (ids.includes(id)) return layout;
  return evenColumns(layout) === undefined ? insertPane(layout, id, aspect) : evenGrid([...ids, id], aspect);
}

/**
 * Fits an even grid to a new size of the window: fewer columns where panes get too narrow, others only where the shape
 * has changed a lot, so that small changes move nothing. What a person has arranged stays as it is.
 */
export function settleLayout(layout: Layout, widthPx: number, heightPx: number): Layout {
  const columns = evenColumns(layout);
  if (columns === undefined || widthPx <= 0 || heightPx <= 0) return layout;
  const ids = paneIds(layout);
  const fitting = Math.max(1, Math.floor(widthPx / MIN_PANE_PX));
  const ideal = idealColumns(ids.length, widthPx / heightPx);
  const wanted = Math.abs(ideal - columns) > 0.75 ? Math.round(ideal) : columns;
  const next = Math.max(1, Math.min(ids.length, wanted, fitting));
  return next === columns ? layout : gridOf(ids, next);
}

/**
 * As `settleLayout`, and where an even grid's panes would get too low, the last ones go to the background: `squeezed`. They
 * come back, in their order, as soon as there is room again. `keepId` stays in any case.
 */
export function fitLayout(
  input: { layout: Layout; squeezed: readonly string[]; keepId: string | undefined },
  widthPx: number,
  heightPx: number,
): { layout: Layout; squeezed: readonly string[] } {
  const { squeezed, keepId } = input;
  const isFit = (layout: Layout): boolean => {
    const columns = evenColumns(layout);
    if (columns === undefined) return true;
    const rows = Math.ceil(paneIds(layout).length / columns);
    return rows <= 1 || heightPx / rows >= MIN_PANE_HEIGHT_PX;
  };
  let layout = settleLayout(input.layout, widthPx, heightPx);
  if (widthPx <= 0 || heightPx <= 0) return { layout, squeezed };
  if (!isFit(layout)) {
    const gone: string[] = [];
    while (!isFit(layout)) {
      const last = paneIds(layout).findLast((id) => id !== keepId);
      if (last === undefined) break;
      gone.unshift(last);
      const rest = paneIds(layout).filter((id) => id !== last);
      layout = settleLayout(evenGrid(rest, widthPx / heightPx), widthPx, heightPx);
    }
    return { layout, squeezed: [...gone, ...squeezed.filter((id) => !gone.includes(id))] };
  }
  const waiting = squeezed.filter((id) => !paneIds(layout).includes(id));
  while (waiting[0] !== undefined && evenColumns(layout) !== undefined) {
    const grown = settleLayout(growLayout(layout, waiting[0], widthPx / heightPx), widthPx, heightPx);
    if (!isFit(grown)) break;
    layout = grown;
    waiting.shift();
  }
  return { layout, squeezed: waiting };
}

/** Columns of an even grid; undefined where it is none. */
function evenColumns(layout: Layout): number | undefined {
  const ids = paneIds(layout);
  const index = ids.findIndex((_, at) => same(layout, gridOf(ids, at + 1)));
  return index < 0 ? undefined : index + 1;
}

const idealColumns = (count: number, aspect: number): number => Math.sqrt((count * aspect) / PANE_ASPECT);

function evenGrid(ids: readonly string[], aspect: number): Layout {
  const columns = Math.round(idealColumns(ids.length, aspect));
  return gridOf(ids, Math.min(ids.length, Math.max(1, columns)));
}

function gridOf(ids: readonly string[], columns: number): Layout {
  if (ids.length === 0) return undefined;
  const rows = Math.ceil(ids.length / columns);
  const lines = Array.from({ length: rows }, (_, row) =>
    even('row', ids.slice(row * columns, (row + 1) * columns).map(leaf)),
  );
  return even('column', lines);
}

function same(a: Layout, b: Layout): boolean {
  if (!a || !b || a.kind === 'leaf' || b.kind === 'leaf') {
    return a?.kind === 'leaf' && b?.kind === 'leaf' && a.id === b.id;
  }
  const alike = a.direction === b.direction && a.children.length === b.children.length;
  const near = (share: number, index: number): boolean => Math.abs(share - (b.shares[index] ?? 0)) < 1e-6;
  return alike && a.shares.every(near) && a.children.every((child, index) => same(child, b.children[index]));
}

function even(direction: Direction, children: readonly LayoutNode[]): LayoutNode {
  const [only] = children;
  if (children.length === 1 && only) return only;
  return { kind: 'split', direction, children, shares: children.map(() => 1 / children.length) };
}
