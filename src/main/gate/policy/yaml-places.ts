import { isMap, isScalar, type Node } from 'yaml';

/** Keys and indexes from the top of a document. */
export type Path = readonly (string | number)[];

function nodeAt(root: Node | null, path: Path): unknown {
  let node: unknown = root;
  for (const part of path) {
    const next: unknown =
      node && typeof node === 'object' && 'get' in node && typeof node.get === 'function'
        ? node.get(part, true)
        : undefined;
    if (next === undefined || next === null) break;
    node = next;
  }
  return node;
}

/** Where the value of `path` stands, by its key where it has one; the nearest that there is where it is missing. */
export function nodeOffset(root: Node | null, path: Path): number | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  const key = typeof last === 'string' ? keyOffset(root, path.slice(0, -1), last) : undefined;
  if (key !== undefined) return key;
  const node = nodeAt(root, path) ?? parent;
  return (node as Node | undefined)?.range?.[0];
}

/** Where a key of the map at `path` stands. */
export function keyOffset(root: Node | null, path: Path, key: string): number | undefined {
  const map = nodeAt(root, path);
  if (!isMap(map)) return undefined;
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}
