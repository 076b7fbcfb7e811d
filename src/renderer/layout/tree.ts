/**
 * The pane grid as a tree: leaves are sessions, splits share their space. All operations are pure and keep these
 * invariants: a split has at least two children, never a child split of its own direction, and shares that add up to 1.
 */
export type Direction = 'row' | 'column';
export type Leaf = { kind: 'leaf'; id: string };
export type Split = {
  kind: 'split';
  direction: Direction;
  children: readonly LayoutNode[];
  shares: readonly number[];
};
export type LayoutNode = Leaf | Split;
export type Layout = LayoutNode | undefined;
export type Edge = 'left' | 'right' | 'top' | 'bottom';

export const leaf = (id: string): Leaf => ({ kind: 'leaf', id });

/** Reading order. */
export function paneIds(layout: Layout): readonly string[] {
  if (!layout) return [];
  return layout.kind === 'leaf' ? [layout.id] : layout.children.flatMap((child) => paneIds(child));
}

export function hasPane(layout: Layout, id: string): boolean {
  return paneIds(layout).includes(id);
}

/** The pane after this one in reading order, or before it where it is the last; undefined where it is alone. */
export function paneAfter(layout: Layout, id: string): string | undefined {
  const ids = paneIds(layout);
  const index = ids.indexOf(id);
  return index < 0 ? undefined : (ids[index + 1] ?? ids[index - 1]);
}

/** Puts `id` beside `targetId`, halving the target's place. A pane that is there already is moved. */
export function insertBeside(layout: Layout, targetId: string, id: string, edge: Edge): Layout {
  if (targetId === id) return layout;
  const base = hasPane(layout, id) ? removePane(layout, id) : layout;
  if (!base) return leaf(id);
  if (!hasPane(base, targetId)) return base;
  const direction: Direction = edge === 'left' || edge === 'right' ? 'row' : 'column';
  const first = edge === 'left' || edge === 'top';
  return normalise(
    mapLeaf(base, targetId, (target) => ({
      kind: 'split',
      direction,
      children: first ? [leaf(id), target] : [target, leaf(id)],
      shares: [0.5, 0.5],
    })),
  );
}

/** Without a target: halves the largest pane along its longer side. `aspect` is width / height of the whole grid. */
export function insertPane(layout: Layout, id: string, aspect: number): Layout {
  if (!layout) return leaf(id);
  if (hasPane(layout, id)) return layout;
  const [target] = [...measure(layout, aspect, 1)].sort((a, b) => b.width * b.height - a.width * a.height);
  if (!target) return layout;
  return insertBeside(layout, target.id, id, target.width >= target.height * 1.2 ? 'right' : 'bottom');
}

export function removePane(layout: Layout, id: string): Layout {
  if (!layout) return undefined;
  if (layout.kind === 'leaf') return layout.id === id ? undefined : layout;
  const kept: LayoutNode[] = [];
  const shares: number[] = [];
  layout.children.forEach((child, index) => {
    const next = removePane(child, id);
    if (!next) return;
    kept.push(next);
    shares.push(layout.shares[index] ?? 0);
  });
  if (kept.length === 0) return undefined;
  return normalise({ ...layout, children: kept, shares });
}

/** One pane takes another's place; nothing else moves. */
export function replacePane(layout: Layout, oldId: string, newId: string): Layout {
  if (!layout || hasPane(layout, newId)) return layout;
  return mapLeaf(layout, oldId, () => leaf(newId));
}

export function swapPanes(layout: Layout, a: string, b: string): Layout {
  if (!layout || a === b || !hasPane(layout, a) || !hasPane(layout, b)) return layout;
  const swap = (node: LayoutNode): LayoutNode => {
    if (node.kind === 'split') return { ...node, children: node.children.map(swap) };
    return node.id === a ? leaf(b) : node.id === b ? leaf(a) : node;
  };
  return swap(layout);
}

/** Moves the border after child `index` of the split at `path` by `delta` (share of that split). */
export function resizeSplit(
  layout: Layout,
  path: readonly number[],
  index: number,
  delta: number,
  minShare: number,
): Layout {
  if (!layout || layout.kind === 'leaf') return layout;
  const [head, ...rest] = path;
  if (head !== undefined) {
    return {
      ...layout,
      children: layout.children.map((child, at) =>
        at === head ? (resizeSplit(child, rest, index, delta, minShare) ?? child) : child,
      ),
    };
  }
  const before = layout.shares[index];
  const after = layout.shares[index + 1];
  if (before === undefined || after === undefined) return layout;
  const least = Math.min(minShare, (before + after) / 2);
  const next = Math.min(before + after - least, Math.max(least, before + delta));
  const shares = layout.shares.map((share, at) =>
    at === index ? next : at === index + 1 ? before + after - next : share,
  );
  return { ...layout, shares };
}

function mapLeaf(node: LayoutNode, id: string, replace: (target: Leaf) => LayoutNode): LayoutNode {
  if (node.kind === 'leaf') return node.id === id ? replace(node) : node;
  return { ...node, children: node.children.map((child) => mapLeaf(child, id, replace)) };
}

function normalise(node: LayoutNode): LayoutNode {
  if (node.kind === 'leaf') return node;
  const children: LayoutNode[] = [];
  const shares: number[] = [];
  const total = node.shares.reduce((sum, share) => sum + share, 0) || 1;
  node.children.forEach((raw, index) => {
    const child = normalise(raw);
    const share = (node.shares[index] ?? 0) / total;
    if (child.kind === 'split' && child.direction === node.direction) {
      children.push(...child.children);
      shares.push(...child.shares.map((inner) => inner * share));
    } else {
      children.push(child);
      shares.push(share);
    }
  });
  const [only] = children;
  return children.length === 1 && only ? only : { ...node, children, shares };
}

function measure(
  node: LayoutNode,
  width: number,
  height: number,
): readonly { id: string; width: number; height: number }[] {
  if (node.kind === 'leaf') return [{ id: node.id, width, height }];
  return node.children.flatMap((child, index) => {
    const share = node.shares[index] ?? 0;
    return node.direction === 'row'
      ? measure(child, width * share, height)
      : measure(child, width, height * share);
  });
}
