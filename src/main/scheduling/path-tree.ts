import { pathKeys } from './paths.ts';

/** The repository itself; it ends every way up. */
export const TOP = 0;

/** An array at least that long with the same numbers in it, zero behind them. */
export function grown(array: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
  if (needed <= array.length) return array;
  const larger = new Int32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}

/**
 * The names of paths as a prefix tree: every directory and file that some claim names, or lies below, is a node with a
 * number. Segments are interned, so text is looked at once per path, when its claim comes in, and never in a pass.
 * Who claims a node is not kept here but in layers (`ClaimLayer`).
 */
export class PathTree {
  readonly #segments = new Map<string, number>();
  readonly #children = new Map<number, number>();
  /** (parent, name without what is behind some dot) → nodes called so plus something. */
  readonly #dotted = new Map<number, number[]>();
  /** Nodes that may be the same module: `button` and `button.tsx`. Only nodes that are claimed themselves. */
  readonly #aliases = new Map<number, number[]>();
  readonly #claimed = new Set<number>();
  #aliased = new Int32Array(256);
  #parents = new Int32Array(256);
  #size = 1;

  /** Nodes, the top included. */
  get size(): number {
    return this.#size;
  }

  /** Parent of each node; `TOP` ends the way up. Read it anew after `intern`: it grows. */
  get parents(): Int32Array {
    return this.#parents;
  }

  hasAliases(node: number): boolean {
    return this.#aliased[node] === 1;
  }

  /** Nodes that may be the same module as this one. */
  aliasesOf(node: number): readonly number[] {
    return this.#aliases.get(node) ?? [];
  }

  /** The nodes of these paths (relative, as `toClaim` gives them), in their order. */
  intern(paths: readonly string[]): number[] {
    return paths.map((path) => {
      const keys = pathKeys(path);
      let node = TOP;
      for (const key of keys) node = this.#child(node, this.#segment(key));
      this.#claim(node, keys.at(-1) ?? '');
      return node;
    });
  }

  /** Whether the claim of one node overlaps that of the other. */
  overlaps(a: number, b: number): boolean {
    return this.#isWithin(a, b) || this.#isWithin(b, a) || this.#aliases.get(a)?.includes(b) === true;
  }

  #isWithin(node: number, outer: number): boolean {
    let at = node;
    while (at > outer) at = this.#parents[at] ?? TOP; // a parent's number is always the smaller one
    return at === outer;
  }

  #segment(key: string): number {
    let id = this.#segments.get(key);
    if (id === undefined) {
      id = this.#segments.size;
      this.#segments.set(key, id);
    }
    return id;
  }

  /** Two small integers as one key of a map; exact up to 2^31 nodes and 2^22 names. */
  #pair(node: number, segment: number): number {
    return node * 4_194_304 + segment;
  }

  #child(parent: number, segment: number): number {
    const key = this.#pair(parent, segment);
    let node = this.#children.get(key);
    if (node === undefined) {
      node = this.#size;
      this.#size += 1;
      this.#parents = grown(this.#parents, this.#size);
      this.#aliased = grown(this.#aliased, this.#size);
      this.#parents[node] = parent;
      this.#children.set(key, node);
    }
    return node;
  }

  #claim(node: number, name: string): void {
    if (this.#claimed.has(node)) return;
    this.#claimed.add(node);
    const parent = this.#parents[node] ?? TOP;
    for (const longer of this.#dotted.get(this.#pair(parent, this.#segment(name))) ?? [])
      this.#link(node, longer);
    for (let dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1)) {
      const stem = this.#pair(parent, this.#segment(name.slice(0, dot)));
      const shorter = this.#children.get(stem);
      if (shorter !== undefined && this.#claimed.has(shorter)) this.#link(node, shorter);
      const others = this.#dotted.get(stem);
      if (others) others.push(node);
      else this.#dotted.set(stem, [node]);
    }
  }

  #link(a: number, b: number): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      this.#aliased[from] = 1;
      const list = this.#aliases.get(from);
      if (list) list.push(to);
      else this.#aliases.set(from, [to]);
    }
  }
}
