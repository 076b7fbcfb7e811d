import type { Layout, LayoutNode } from './tree.ts';

export type SavedLayout = { layout: Layout; seen: readonly string[] };

const KEY = 'headway.layout';
const MAX_DEPTH = 12;

/** Reads a stored layout; whatever is not a well-formed tree counts as none. */
export function parseLayout(text: string | null): SavedLayout | undefined {
  if (text === null) return undefined;
  try {
    const value = JSON.parse(text) as { layout?: unknown; seen?: unknown };
    const seen = Array.isArray(value.seen) ? value.seen.filter((id) => typeof id === 'string') : [];
    if (value.layout === undefined) return { layout: undefined, seen };
    const ids = new Set<string>();
    const layout = parseNode(value.layout, ids, 0);
    return layout ? { layout, seen } : undefined;
  } catch {
    return undefined;
  }
}

function parseNode(value: unknown, ids: Set<string>, depth: number): LayoutNode | undefined {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  const node = value as Record<string, unknown>;
  if (node.kind === 'leaf' && typeof node.id === 'string' && !ids.has(node.id)) {
    ids.add(node.id);
    return { kind: 'leaf', id: node.id };
  }
  if (node.kind !== 'split' || !Array.isArray(node.children) || !Array.isArray(node.shares)) return undefined;
  if (node.direction !== 'row' && node.direction !== 'column') return undefined;
  if (node.children.length < 2 || node.children.length !== node.shares.length) return undefined;
  const shares = node.shares.map(Number);
  if (!shares.every((share) => share > 0 && share < 1)) return undefined;
  const children = node.children.map((child) => parseNode(child, ids, depth + 1));
  if (!children.every((child) => child !== undefined)) return undefined;
  return { kind: 'split', direction: node.direction, children, shares };
}

export const loadLayout = (): SavedLayout | undefined => parseLayout(localStorage.getItem(KEY));

export function saveLayout(saved: SavedLayout): void {
  localStorage.setItem(KEY, JSON.stringify(saved));
}
