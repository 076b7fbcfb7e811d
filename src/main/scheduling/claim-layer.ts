import { ALIASED, grown, type PathTree, TOP, UP_SHIFT } from './path-tree.ts';

/** Where an overlap was found: whose claim, and with which of one's own paths. */
export type Overlap<Owner> = { owner: Owner; ticket: number; ownIndex: number };

/** No ticket: higher than any. A small integer, as fractions and infinities are slow to compare. */
const NONE = 0x3fff_ffff;

/**
 * Who claims what, over one tree. Claims are added in the order in which they count, get ascending ticket numbers, and
 * each spot's lists stay in that order: who claims the spot itself, and who claims something below it. So the first
 * claim that overlaps a path is found on the way up from its spot. Costs grow with the depth of a path alone.
 */
export class ClaimLayer<Owner> {
  readonly #tree: PathTree;
  /** The marks of a spot that somebody claims, and of one below which somebody claims something. */
  readonly #used: number;
  readonly #usedBelow: number;
  // By spot, in arrays of their own: a pass is bound by memory, not by arithmetic, and most spots have one claim.
  /** The first and last ticket that claim the spot. */
  #firsts = new Int32Array(256);
  #lasts = new Int32Array(256);
  /** Links of the further claims: the first and the last of each spot. */
  #rests = new Int32Array(256);
  #ends = new Int32Array(256);
  /** Per link: ticket, next link. */
  #links = new Int32Array(1024);
  #linkCount = 1;
  /** The first ticket that claims something below the spot, unless it was removed since. */
  #belows = new Int32Array(256);
  #owners: Owner[] = [];
  #alive = new Uint8Array(256);

  /** `number`: from 0, another one for each layer of a tree; a spot's word has room for two. */
  constructor(tree: PathTree, number: number) {
    this.#tree = tree;
    this.#used = ALIASED << (1 + 2 * number);
    this.#usedBelow = ALIASED << (2 + 2 * number);
  }

  /** Forgets all claims. Ticket numbers start at 0 again. */
  clear(): void {
    const { words, size } = this.#tree;
    const others = ~(this.#used | this.#usedBelow);
    for (let spot = 0; spot < size; spot += 1) words[spot] = (words[spot] as number) & others;
    this.#linkCount = 1;
    this.#owners = [];
  }

  /** Adds a claim behind all others and returns its ticket number, for `remove`. */
  add(owner: Owner, claim: number): number {
    const ticket = this.#owners.length;
    this.#owners.push(owner);
    if (ticket >= this.#alive.length) {
      const larger = new Uint8Array(this.#alive.length * 2);
      larger.set(this.#alive);
      this.#alive = larger;
    }
    this.#alive[ticket] = 1;
    this.#makeRoom();
    const { table, words } = this.#tree;
    const usedBelow = this.#usedBelow;
    const count = table[claim] as number;
    for (let i = 0; i < count; i += 1) {
      const own = table[claim + 1 + i] as number;
      this.#append(own, ticket);
      // Where a spot knows of a claim below it, those above it do, too.
      let spot = (words[own] as number) >> UP_SHIFT;
      while (spot !== TOP) {
        const word = words[spot] as number;
        if ((word & usedBelow) !== 0) break;
        words[spot] = word | usedBelow;
        this.#belows[spot] = ticket;
        spot = word >> UP_SHIFT;
      }
    }
    return ticket;
  }

  remove(ticket: number): void {
    this.#alive[ticket] = 0;
  }

  /** The overlapping claim with the lowest ticket number below `before`. */
  first(claim: number, before: number): Overlap<Owner> | undefined {
    let best = Math.min(before, NONE);
    let ownIndex = -1;
    const tree = this.#tree;
    const { table, words } = tree;
    const used = this.#used;
    const usedBelow = this.#usedBelow;
    const count = table[claim] as number;
    for (let i = 0; i < count; i += 1) {
      const own = table[claim + 1 + i] as number;
      let word = words[own] as number;
      let found = NONE;
      if ((word & used) !== 0) found = this.#head(own);
      if ((word & usedBelow) !== 0) found = Math.min(found, this.#headBelow(own));
      if ((word & ALIASED) !== 0) {
        for (const alias of tree.aliasesOf(own)) found = Math.min(found, this.#head(alias));
      }
      for (let spot = word >> UP_SHIFT; spot !== TOP; spot = word >> UP_SHIFT) {
        word = words[spot] as number;
        if ((word & used) !== 0) found = Math.min(found, this.#head(spot));
      }
      if (found < best) {
        best = found;
        ownIndex = i;
      }
    }
    return ownIndex < 0 ? undefined : { owner: this.#owners[best] as Owner, ticket: best, ownIndex };
  }

  /** Every claim that overlaps, some more than once. */
  each(claim: number, visit: (owner: Owner, ownIndex: number) => void): void {
    const { table, words } = this.#tree;
    const count = table[claim] as number;
    for (let i = 0; i < count; i += 1) {
      const own = table[claim + 1 + i] as number;
      this.#walk(own, i, visit);
      if (this.#isMarked(own, this.#usedBelow))
        this.#tree.eachBelow(own, (below) => this.#walk(below, i, visit));
      for (const alias of this.#tree.aliasesOf(own)) this.#walk(alias, i, visit);
      let spot = (words[own] as number) >> UP_SHIFT;
      while (spot !== TOP) {
        this.#walk(spot, i, visit);
        spot = (words[spot] as number) >> UP_SHIFT;
      }
    }
  }

  #makeRoom(): void {
    const { size } = this.#tree;
    if (size <= this.#firsts.length) return;
    this.#firsts = grown(this.#firsts, size);
    const room = this.#firsts.length;
    this.#lasts = grown(this.#lasts, room);
    this.#rests = grown(this.#rests, room);
    this.#ends = grown(this.#ends, room);
    this.#belows = grown(this.#belows, room);
  }

  #isMarked(spot: number, mark: number): boolean {
    return ((this.#tree.words[spot] as number) & mark) !== 0;
  }

  #append(spot: number, ticket: number): void {
    const { words } = this.#tree;
    const word = words[spot] as number;
    if ((word & this.#used) === 0) {
      words[spot] = word | this.#used;
      this.#firsts[spot] = ticket;
      this.#lasts[spot] = ticket;
      this.#rests[spot] = 0;
      return;
    }
    if (this.#lasts[spot] === ticket) return;
    this.#lasts[spot] = ticket;
    const link = this.#linkCount;
    this.#linkCount += 1;
    this.#links = grown(this.#links, this.#linkCount * 2);
    this.#links[link * 2] = ticket;
    this.#links[link * 2 + 1] = 0;
    if (this.#rests[spot] === 0) this.#rests[spot] = link;
    else this.#links[(this.#ends[spot] as number) * 2 + 1] = link;
    this.#ends[spot] = link;
  }

  /** The first ticket below a spot that still counts. Looks at all of them only when the one that was first is gone. */
  #headBelow(spot: number): number {
    const known = this.#belows[spot] as number;
    if (this.#alive[known] === 1) return known;
    let first = NONE;
    this.#tree.eachBelow(spot, (below) => {
      first = Math.min(first, this.#head(below));
    });
    if (first !== NONE) this.#belows[spot] = first;
    return first;
  }

  /** The first ticket of a spot that still counts; drops those before it that do not. NONE: none. */
  #head(spot: number): number {
    if (!this.#isMarked(spot, this.#used)) return NONE;
    let ticket = this.#firsts[spot] as number;
    if (this.#alive[ticket] === 1) return ticket;
    let link = this.#rests[spot] as number;
    while (link !== 0) {
      ticket = this.#links[link * 2] as number;
      link = this.#links[link * 2 + 1] as number;
      if (this.#alive[ticket] !== 1) continue;
      this.#firsts[spot] = ticket;
      this.#rests[spot] = link;
      return ticket;
    }
    const { words } = this.#tree;
    words[spot] = (words[spot] as number) & ~this.#used;
    return NONE;
  }

  #walk(spot: number, ownIndex: number, visit: (owner: Owner, ownIndex: number) => void): void {
    if (!this.#isMarked(spot, this.#used)) return;
    let ticket = this.#firsts[spot] as number;
    let link = this.#rests[spot] as number;
    for (;;) {
      if (this.#alive[ticket] === 1) visit(this.#owners[ticket] as Owner, ownIndex);
      if (link === 0) return;
      ticket = this.#links[link * 2] as number;
      link = this.#links[link * 2 + 1] as number;
    }
  }
}
