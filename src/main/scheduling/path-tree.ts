import { pathKeys } from '../paths/paths.ts';

/** The repository itself; it ends every way up. */
export const TOP = 0;

/** A spot's word holds the spot above it, shifted by this, and its marks below. */
export const UP_SHIFT = 6;
const MARKS = (1 << UP_SHIFT) - 1;

/** The mark of a spot that has aliases; the other bits are for layers to use. */
export const ALIASED = 1;

/** An array at least that long with the same numbers in it, zero behind them. */
export function grown(array: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
  if (needed <= array.length) return array;
  const larger = new Int32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}

/**
 * The names of paths as a prefix tree. Segments are interned, so text is looked at once per path, when its claim comes
 * in, and never in a pass. What a pass walks is smaller still: only paths that are claimed themselves have a number (a
 * spot), and from each spot the way up leads to the next claimed path above it. Who claims a spot is not kept here but
 * in layers (`ClaimLayer`).
 */
export class PathTree {
  readonly #segments = new Map<string, number>();
  readonly #children = new Map<number, number>();
  /** (parent, name up to some dot) → spots called so plus something. */
  readonly #dotted = new Map<number, number[]>();
  /** Spots that may be the same module: `button` and `button.tsx`; most have none. */
  readonly #aliases = new Map<number, number[]>();
  #words = new Int32Array(256);
  #parents = new Int32Array(256);
  /** By node: its spot, TOP while nobody claims it. Parents have smaller numbers than their children. */
  #spots = new Int32Array(256);
  #nodeCount = 1;
  #spotCount = 1;
  /** By spot: the first of the next claimed paths below, and the next one below the same. */
  #downs = new Int32Array(256);
  #besides = new Int32Array(256);
  #isStale = false;
  /** All claims in one table, number of spots first, so that a pass over many reads it from front to back. */
  #table = new Int32Array(1024);
  /** A claim at 0 has no spots. */
  #tableEnd = 1;

  /** Spots, the top included. */
  get size(): number {
    return this.#spotCount;
  }

  /** What the tree has taken in so far, in numbers kept; it only grows. */
  get weight(): number {
    return this.#nodeCount + this.#tableEnd;
  }

  /** At the place that `intern` gave: how many spots a claim has, and then its spots. Read it anew after `intern`. */
  get table(): Int32Array {
    return this.#table;
  }

  /**
   * By spot: the nearest claimed path above, and what is to be known of the spot at a glance, a bit each. One number for
   * both, because a pass over many claims is bound by memory. Read it anew after `intern`.
   */
  get words(): Int32Array {
    if (this.#isStale) this.#linkSpots();
    return this.#words;
  }

  /** Every spot below this one. */
  eachBelow(spot: number, visit: (below: number) => void): void {
    if (this.#isStale) this.#linkSpots();
    const open = [spot];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (let below = this.#downs[at] as number; below !== TOP; below = this.#besides[below] as number) {
        visit(below);
        open.push(below);
      }
    }
  }

  /** Spots that may be the same module as this one. */
  aliasesOf(spot: number): readonly number[] {
    return this.#aliases.get(spot) ?? [];
  }

  /**
   * Takes in the paths of a claim (relative, as `toClaim` gives them) and returns its place in the table, above 0. Layers
   * know what they were told for spots that were there then: clear and fill them after new paths came in.
   */
  intern(paths: readonly string[]): number {
    const place = this.#tableEnd;
    this.#tableEnd += paths.length + 1;
    this.#table = grown(this.#table, this.#tableEnd);
    this.#table[place] = paths.length;
    for (const [i, path] of paths.entries()) {
      const keys = pathKeys(path);
      let node = TOP;
      for (const key of keys) node = this.#child(node, this.#segment(key));
      this.#table[place + 1 + i] = this.#claim(node, keys.at(-1) ?? '');
    }
    return place;
  }

  /** The first path of the second claim that overlaps path `index` of the first one; -1: none. */
  indexOfOverlap(claim: number, index: number, other: number): number {
    const own = this.#table[claim + 1 + index] as number;
    const count = this.#table[other] as number;
    for (let i = 0; i < count; i += 1) if (this.#overlap(own, this.#table[other + 1 + i] as number)) return i;
    return -1;
  }

  #overlap(a: number, b: number): boolean {
    return this.#isWithin(a, b) || this.#isWithin(b, a) || this.aliasesOf(a).includes(b);
  }

  #isWithin(spot: number, outer: number): boolean {
    const { words } = this;
    let at = spot;
    while (at !== TOP && at !== outer) at = (words[at] as number) >> UP_SHIFT;
    return at === outer;
  }

  /** One run over all nodes, from the top down. */
  #linkSpots(): void {
    const nearest = new Int32Array(this.#nodeCount);
    this.#downs = new Int32Array(this.#spotCount);
    this.#besides = new Int32Array(this.#spotCount);
    for (let node = 1; node < this.#nodeCount; node += 1) {
      const parent = this.#parents[node] as number;
      const up = (this.#spots[parent] as number) || (nearest[parent] as number);
      nearest[node] = up;
      const spot = this.#spots[node] as number;
      if (spot === TOP) continue;
      this.#words[spot] = (up << UP_SHIFT) | ((this.#words[spot] as number) & MARKS);
      this.#besides[spot] = this.#downs[up] as number;
      this.#downs[up] = spot;
    }
    this.#isStale = false;
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
      node = this.#nodeCount;
      this.#nodeCount += 1;
      this.#parents = grown(this.#parents, this.#nodeCount);
      this.#spots = grown(this.#spots, this.#nodeCount);
      this.#parents[node] = parent;
      this.#children.set(key, node);
    }
    return node;
  }

  #claim(node: number, name: string): number {
    const known = this.#spots[node] as number;
    if (known !== TOP) return known;
    const spot = this.#spotCount;
    this.#spotCount += 1;
    this.#spots[node] = spot;
    this.#words = grown(this.#words, this.#spotCount);
    this.#isStale = true;
    const parent = this.#parents[node] as number;
    for (const longer of this.#dotted.get(this.#pair(parent, this.#segment(name))) ?? [])
      this.#link(spot, longer);
    for (let dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1)) {
      const stem = this.#pair(parent, this.#segment(name.slice(0, dot)));
      const shorter = this.#spots[this.#children.get(stem) ?? TOP] as number;
      if (shorter !== TOP) this.#link(spot, shorter);
      const others = this.#dotted.get(stem);
      if (others) others.push(spot);
      else this.#dotted.set(stem, [spot]);
    }
    return spot;
  }

  #link(a: number, b: number): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      this.#words[from] = (this.#words[from] as number) | ALIASED;
      const list = this.#aliases.get(from);
      if (list) list.push(to);
      else this.#aliases.set(from, [to]);
    }
  }
}
