import type { Direction, Edge, Layout, LayoutNode } from './tree.ts';

/** Shares of the whole grid, 0…1. */
export type Rect = { left: number; top: number; width: number; height: number };
export type PaneRect = Rect & { id: string };
/** A border that can be dragged: after child `index` of the split at `path`; `extent` is that split's own size. */
export type Border = Rect & { direction: Direction; path: readonly number[]; index: number; extent: number };

const WHOLE: Rect = { left: 0, top: 0, width: 1, height: 1 };

export function layoutRects(layout: Layout): { panes: readonly PaneRect[]; borders: readonly Border[] } {
  const panes: PaneRect[] = [];
  const borders: Border[] = [];
  const walk = (node: LayoutNode, rect: Rect, path: readonly number[]): void => {
    if (node.kind === 'leaf') {
      panes.push({ id: node.id, ...rect });
      return;
    }
    let offset = 0;
    node.children.forEach((child, index) => {
      const share = node.shares[index] ?? 0;
      const inRow = node.direction === 'row';
      const part: Rect = inRow
        ? { ...rect, left: rect.left + offset * rect.width, width: share * rect.width }
        : { ...rect, top: rect.top + offset * rect.height, height: share * rect.height };
      walk(child, part, [...path, index]);
      offset += share;
      if (index === node.children.length - 1) return;
      borders.push({
        direction: node.direction,
        path,
        index,
        extent: inRow ? rect.width : rect.height,
        ...(inRow
          ? { left: part.left + part.width, top: rect.top, width: 0, height: rect.height }
          : { left: rect.left, top: part.top + part.height, width: rect.width, height: 0 }),
      });
    });
  };
  if (layout) walk(layout, WHOLE, []);
  return { panes, borders };
}

/** The pane next to `id` in a direction: the one that shares most of the touching side. */
export function neighbour(layout: Layout, id: string, edge: Edge): string | undefined {
  const { panes } = layoutRects(layout);
  const from = panes.find((pane) => pane.id === id);
  if (!from) return undefined;
  const horizontal = edge === 'left' || edge === 'right';
  let best: { id: string; shared: number } | undefined;
  for (const pane of panes) {
    if (pane.id === id || !touches(from, pane, edge)) continue;
    const shared = horizontal
      ? Math.min(from.top + from.height, pane.top + pane.height) - Math.max(from.top, pane.top)
      : Math.min(from.left + from.width, pane.left + pane.width) - Math.max(from.left, pane.left);
    if (shared > 1e-6 && shared > (best?.shared ?? 0)) best = { id: pane.id, shared };
  }
  return best?.id;
}

function touches(from: Rect, to: Rect, edge: Edge): boolean {
  const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;
  switch (edge) {
    case 'left':
      return near(to.left + to.width, from.left);
    case 'right':
      return near(from.left + from.width, to.left);
    case 'top':
      return near(to.top + to.height, from.top);
    case 'bottom':
      return near(from.top + from.height, to.top);
    default:
      return edge satisfies never;
  }
}

export type DropPlace = { targetId: string; place: Edge | 'centre' };

/** Where a pane dropped at a point (shares of the grid) would go: near an edge splits, the middle swaps. */
export function dropPlace(layout: Layout, x: number, y: number): DropPlace | undefined {
  const { panes } = layoutRects(layout);
  const pane = panes.find(
    (rect) => x >= rect.left && x < rect.left + rect.width && y >= rect.top && y < rect.top + rect.height,
  );
  if (!pane) return undefined;
  const across = (x - pane.left) / pane.width;
  const down = (y - pane.top) / pane.height;
  const distances: readonly [Edge, number][] = [
    ['left', across],
    ['right', 1 - across],
    ['top', down],
    ['bottom', 1 - down],
  ];
  const [edge, distance] = distances.reduce((least, next) => (next[1] < least[1] ? next : least));
  return { targetId: pane.id, place: distance < 0.25 ? edge : 'centre' };
}
