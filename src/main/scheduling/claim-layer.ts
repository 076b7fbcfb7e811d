import { grown, type PathTree, TOP } from './path-tree.ts';

/** Where an overlap was found: whose claim, and with which of one's own paths. */
export type Overlap<Owner> = { owner: Owner; ticket: number; ownIndex: number };

/** No ticket: higher than any. A small integer, as fractions and infinities are slow to compare. */
const NONE = 0x3fff_ffff;

// One spot's row: two lists. A list's first ticket is in the row, as most have no second; the others are linked.
const ROW = 8;
const SELF = 0;
const BELOW = 4;
const FIRST_TICKET = 0;
const LAST_TICKET = 1;
const REST = 2;
const LAST_LINK = 3;

/** A list's bit in what says which lists of a spot are in use. */
const bitOf = (list: number): number => (list === SELF ? 1 : 2);

/**
 * Who claims what, over one tree. Claims are added in the order in which they count, get ascending ticket numbers, and
 * each spot's lists stay in that order: who claims the spot itself, and who claims something below it. So the first
 * claim that overlaps a path is found on the way up from its spot. Costs grow with the depth of a path alone.
 */
export class ClaimLayer<Owner> {
  readonly #tree: PathTree;
  #rows = new Int32Array(256 * ROW);
  #links = new Int32Array(1024);
  #linkCount = 1;
  /** Which lists of a spot are in use, a bit each. Small, so that most looks end here and not in the rows. */
  #used = new Uint8Array(256);
  #owners: Owner[] = [];
  #alive = new Uint8Array(256);

  constructor(tree: PathTree) {
    this.#tree = tree;
  }

  /** Forgets all claims. Ticket numbers start at 0 again. */
  clear(): void {
    this.#used.fill(0);
    this.#linkCount = 1;
    this.#owners = [];
  }

  /** Adds a claim behind all others and returns its ticket number, for `remove`. */
  add(owner: Owner, spots: readonly number[]): number {
    const ticket = this.#owners.length;
    this.#owners.push(owner);
    if (ticket >= this.#alive.length) {
      const larger = new Uint8Array(this.#alive.length * 2);
      larger.set(this.#alive);
      this.#alive = larger;
    }
    this.#alive[ticket] = 1;
    this.#rows = grown(this.#rows, this.#tree.size * ROW);
    if (this.#used.length * ROW < this.#rows.length) {
      const larger = new Uint8Array(this.#rows.length / ROW);
      larger.set(this.#used);
      this.#used = larger;
    }
    const ups = this.#tree.ups;
    for (let i = 0; i < spots.length; i += 1) {
      let spot = spots[i] as number;
      this.#append(spot, SELF, ticket);
      spot = ups[spot] as number;
      while (spot !== TOP && this.#append(spot, BELOW, ticket)) spot = ups[spot] as number;
    }
    return ticket;
  }

  remove(ticket: number): void {
    this.#alive[ticket] = 0;
  }

  /** The overlapping claim with the lowest ticket number below `before`. */
  first(spots: readonly number[], before: number): Overlap<Owner> | undefined {
    let best = Math.min(before, NONE);
    let ownIndex = -1;
    const tree = this.#tree;
    const ups = tree.ups;
    for (let i = 0; i < spots.length; i += 1) {
      const own = spots[i] as number;
      let found = this.#head(own, SELF);
      found = Math.min(found, this.#head(own, BELOW));
      if (tree.hasAliases(own)) {
        for (const alias of tree.aliasesOf(own)) found = Math.min(found, this.#head(alias, SELF));
      }
      for (let spot = ups[own] as number; spot !== TOP; spot = ups[spot] as number) {
        found = Math.min(found, this.#head(spot, SELF));
      }
      if (found < best) {
        best = found;
        ownIndex = i;
      }
    }
    return ownIndex < 0 ? undefined : { owner: this.#owners[best] as Owner, ticket: best, ownIndex };
  }

  /** Every claim that overlaps, some more than once. */
  each(spots: readonly number[], visit: (owner: Owner, ownIndex: number) => void): void {
    const ups = this.#tree.ups;
    for (let i = 0; i < spots.length; i += 1) {
      const own = spots[i] as number;
      this.#walk(own, SELF, i, visit);
      this.#walk(own, BELOW, i, visit);
      for (const alias of this.#tree.aliasesOf(own)) this.#walk(alias, SELF, i, visit);
      for (let spot = ups[own] as number; spot !== TOP; spot = ups[spot] as number) {
        this.#walk(spot, SELF, i, visit);
      }
    }
  }

  /** False when this claim is in that list already; then it is in those of all nodes above, too. */
  #append(spot: number, list: number, ticket: number): boolean {
    const rows = this.#rows;
    const row = spot * ROW + list;
    const used = this.#used[spot] as number;
    if ((used & bitOf(list)) === 0) {
      this.#used[spot] = used | bitOf(list);
      rows[row + FIRST_TICKET] = ticket;
      rows[row + LAST_TICKET] = ticket;
      rows[row + REST] = 0;
      return true;
    }
    if (rows[row + LAST_TICKET] === ticket) return false;
    const link = this.#linkCount;
    this.#linkCount += 1;
    this.#links = grown(this.#links, this.#linkCount * 2);
    this.#links[link * 2] = ticket;
    this.#links[link * 2 + 1] = 0;
    if (rows[row + REST] === 0) rows[row + REST] = link;
    else this.#links[(rows[row + LAST_LINK] as number) * 2 + 1] = link;
    rows[row + LAST_LINK] = link;
    rows[row + LAST_TICKET] = ticket;
    return true;
  }

  /** The first ticket in a list that still counts; drops those before it that do not. NONE: none. */
  #head(spot: number, list: number): number {
    if (((this.#used[spot] as number) & bitOf(list)) === 0) return NONE;
    const rows = this.#rows;
    const row = spot * ROW + list;
    let ticket = rows[row + FIRST_TICKET] as number;
    if (this.#alive[ticket] === 1) return ticket;
    let link = rows[row + REST] as number;
    while (link !== 0) {
      ticket = this.#links[link * 2] as number;
      link = this.#links[link * 2 + 1] as number;
      if (this.#alive[ticket] !== 1) continue;
      rows[row + FIRST_TICKET] = ticket;
      rows[row + REST] = link;
      return ticket;
    }
    this.#used[spot] = (this.#used[spot] as number) & ~bitOf(list);
    return NONE;
  }

  #walk(spot: number, list: number, ownIndex: number, visit: (owner: Owner, ownIndex: number) => void): void {
    if (((this.#used[spot] as number) & bitOf(list)) === 0) return;
    const row = spot * ROW + list;
    let ticket = this.#rows[row + FIRST_TICKET] as number;
    let link = this.#rows[row + REST] as number;
    for (;;) {
      if (this.#alive[ticket] === 1) visit(this.#owners[ticket] as Owner, ownIndex);
      if (link === 0) return;
      ticket = this.#links[link * 2] as number;
      link = this.#links[link * 2 + 1] as number;
    }
  }
}
