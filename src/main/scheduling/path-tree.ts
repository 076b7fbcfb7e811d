import { pathKeys } from './paths.ts';

const TOP = 0;

function grown(array: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
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

  aliasesOf(node: number): readonly number[] | undefined {
    return this.#aliases.get(node);
  }

  /** The nodes of these paths (relative, as `toClaim` gives them), in their order. */
  intern(paths: readonly string[]): Int32Array {
    const nodes = new Int32Array(paths.length);
    for (const [i, path] of paths.entries()) {
      const keys = pathKeys(path);
      let node = TOP;
      for (const key of keys) node = this.#child(node, this.#segment(key));
      this.#claim(node, keys.at(-1) ?? '');
      nodes[i] = node;
    }
    return nodes;
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
      const list = this.#aliases.get(from);
      if (list) list.push(to);
      else this.#aliases.set(from, [to]);
    }
  }
}

/** Where an overlap was found: whose claim, and with which of one's own paths. */
export type Overlap<Owner> = { owner: Owner; ticket: number; ownIndex: number };

// One node's row in a layer: which clearing it belongs to, and first and last link of two lists.
const ROW = 8;
const SELF = 1;
const BELOW = 3;

/**
 * Who claims what, over one tree. Claims are added in the order in which they count, get ascending ticket numbers, and
 * each node's lists stay in that order: who claims the node itself, and who claims something below it. So the first
 * claim that overlaps a path is found on the way up from its node. Costs grow with the depth of a path alone.
 */
export class ClaimLayer<Owner> {
  readonly #tree: PathTree;
  #rows = new Int32Array(256 * ROW);
  #links = new Int32Array(1024);
  #linkCount = 1;
  #clearing = 1;
  #owners: Owner[] = [];
  #alive = new Uint8Array(256);

  constructor(tree: PathTree) {
    this.#tree = tree;
  }

  /** Forgets all claims, in constant time. Ticket numbers start at 0 again. */
  clear(): void {
    this.#clearing += 1;
    this.#linkCount = 1;
    this.#owners = [];
  }

  /** Adds a claim behind all others and returns its ticket number, for `remove`. */
  add(owner: Owner, nodes: Int32Array): number {
    const ticket = this.#owners.length;
    this.#owners.push(owner);
    if (ticket >= this.#alive.length) {
      const larger = new Uint8Array(this.#alive.length * 2);
      larger.set(this.#alive);
      this.#alive = larger;
    }
    this.#alive[ticket] = 1;
    this.#rows = grown(this.#rows, this.#tree.size * ROW);
    const parents = this.#tree.parents;
    for (let i = 0; i < nodes.length; i += 1) {
      let node = nodes[i] as number;
      this.#append(node, SELF, ticket);
      node = parents[node] as number;
      while (node !== TOP && this.#append(node, BELOW, ticket)) node = parents[node] as number;
    }
    return ticket;
  }

  remove(ticket: number): void {
    this.#alive[ticket] = 0;
  }

  /** The overlapping claim with the lowest ticket number below `before`. */
  first(nodes: Int32Array, before: number): Overlap<Owner> | undefined {
    let best = before;
    let ownIndex = -1;
    const parents = this.#tree.parents;
    for (let i = 0; i < nodes.length; i += 1) {
      const own = nodes[i] as number;
      let found = Math.min(best, this.#head(own, SELF), this.#head(own, BELOW));
      const aliases = this.#tree.aliasesOf(own);
      if (aliases) for (const alias of aliases) found = Math.min(found, this.#head(alias, SELF));
      for (let node = parents[own] as number; node !== TOP; node = parents[node] as number) {
        found = Math.min(found, this.#head(node, SELF));
      }
      if (found < best) {
        best = found;
        ownIndex = i;
      }
    }
    return ownIndex < 0 ? undefined : { owner: this.#owners[best] as Owner, ticket: best, ownIndex };
  }

  /** Every claim that overlaps, some more than once. */
  each(nodes: Int32Array, visit: (owner: Owner, ownIndex: number) => void): void {
    const parents = this.#tree.parents;
    for (let i = 0; i < nodes.length; i += 1) {
      const own = nodes[i] as number;
      this.#walk(own, SELF, i, visit);
      this.#walk(own, BELOW, i, visit);
      for (const alias of this.#tree.aliasesOf(own) ?? []) this.#walk(alias, SELF, i, visit);
      for (let node = parents[own] as number; node !== TOP; node = parents[node] as number) {
        this.#walk(node, SELF, i, visit);
      }
    }
  }

  /** False when this claim is in that list already; then it is in those of all nodes above, too. */
  #append(node: number, list: number, ticket: number): boolean {
    const rows = this.#rows;
    const row = node * ROW;
    if (rows[row] !== this.#clearing) {
      rows[row] = this.#clearing;
      rows[row + SELF] = 0;
      rows[row + BELOW] = 0;
    }
    const last = rows[row + list] === 0 ? 0 : (rows[row + list + 1] as number);
    if (last !== 0 && this.#links[last * 2] === ticket) return false;
    const link = this.#linkCount;
    this.#linkCount += 1;
    this.#links = grown(this.#links, this.#linkCount * 2);
    this.#links[link * 2] = ticket;
    this.#links[link * 2 + 1] = 0;
    if (last === 0) rows[row + list] = link;
    else this.#links[last * 2 + 1] = link;
    rows[row + list + 1] = link;
    return true;
  }

  /** The first ticket in a list that still counts; drops those before it that do not. Infinity: none, or a new node. */
  #head(node: number, list: number): number {
    const row = node * ROW;
    if (this.#rows[row] !== this.#clearing) return Number.POSITIVE_INFINITY;
    let link = this.#rows[row + list] as number;
    if (link === 0) return Number.POSITIVE_INFINITY;
    while (link !== 0) {
      const ticket = this.#links[link * 2] as number;
      if (this.#alive[ticket] === 1) break;
      link = this.#links[link * 2 + 1] as number;
    }
    this.#rows[row + list] = link;
    return link === 0 ? Number.POSITIVE_INFINITY : (this.#links[link * 2] as number);
  }

  #walk(node: number, list: number, ownIndex: number, visit: (owner: Owner, ownIndex: number) => void): void {
    const row = node * ROW;
    if (this.#rows[row] !== this.#clearing) return;
    for (
      let link = this.#rows[row + list] as number;
      link !== 0;
      link = this.#links[link * 2 + 1] as number
    ) {
      const ticket = this.#links[link * 2] as number;
      if (this.#alive[ticket] === 1) visit(this.#owners[ticket] as Owner, ownIndex);
    }
  }
}
