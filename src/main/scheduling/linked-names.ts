import { pathKeys, type TrackedPaths } from '../paths/paths.ts';

/** A symbolic link of a commit; without its target where that could not be read. */
export type TrackedLink = { path: string; target?: string | undefined };

/** What of a commit makes two names one: where its links lead, and what is another repository's. */
export type Tree = {
  tracked: TrackedPaths;
  links: readonly TrackedLink[];
  submodules: readonly string[];
};

export type Names = { kind: 'paths'; paths: string[] } | { kind: 'everything'; why: string };

/** `nowhere`: a path of the repository that is not there. `circle`: nothing can be written through it. */
type Leads =
  | { kind: 'path'; path: string }
  | { kind: 'nowhere'; path: string }
  | { kind: 'circle'; why: string }
  | { kind: 'unknown'; why: string };

/** More links in a row are an error to every system. */
const MAX_HOPS = 40;
const MAX_NAMES = 1_000;
const LONGEST_TARGET = 4096;

const keyOf = (path: string): string => pathKeys(path).join('/');

/**
 * All names of what a path of a ticket names, on one commit. What is written through a link changes the file that it
 * leads to, so a path counts as itself, as what it leads to, and as what the links in it lead to. A file of a submodule
 * counts as the submodule: what lands is that one entry. Hard links are not looked for: git keeps none, and in a slot
 * every path is a file of its own.
 */
export class LinkedNames {
  readonly #tracked: TrackedPaths;
  /** By the form in which names are compared; two links that are one name on some file system lead both ways. */
  readonly #links = new Map<string, TrackedLink[]>();
  readonly #below = new Map<string, TrackedLink[]>();
  /** By their names up to some dot: `docs/guide` may mean `docs/guide.md`. */
  readonly #modules = new Map<string, TrackedLink[]>();
  readonly #submodules = new Map<string, string>();
  readonly #known = new Map<TrackedLink, Leads>();

  constructor({ tracked, links, submodules }: Tree) {
    this.#tracked = tracked;
    for (const path of submodules) this.#submodules.set(keyOf(path), path);
    for (const link of links) {
      const key = keyOf(link.path);
      append(this.#links, key, link);
      for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
        append(this.#below, key.slice(0, at), link);
      }
      const name = key.lastIndexOf('/') + 1;
      for (let dot = key.indexOf('.', name + 1); dot > 0; dot = key.indexOf('.', dot + 1)) {
        append(this.#modules, key.slice(0, dot), link);
      }
    }
  }

  namesOf(path: string): Names {
    if (this.#links.size === 0 && this.#submodules.size === 0) return { kind: 'paths', paths: [path] };
    const end = this.#walk(path.split('/'), []);
    if (end.kind === 'nowhere')
      return everything(`"${path}" is a link to ${end.path}, which is not in the repository`);
    if (end.kind !== 'path') return everything(`"${path}" ${end.why}`);
    if (end.path === '') return everything(`"${path}" leads to the whole repository`);
    const names = new Map<string, string>();
    if (!this.#isInSubmodule(end.path)) names.set(keyOf(path), path);
    names.set(keyOf(end.path), end.path);
    // Grows while it is walked: what a link leads to may hold links of its own.
    for (const name of names.keys()) {
      for (const link of this.#linksIn(name)) {
        const leads = this.#leadsOf(link, []);
        if (leads.kind === 'circle') continue;
        if (leads.kind === 'unknown') return everything(`"${path}" holds ${link.path}, which ${leads.why}`);
        if (leads.path === '')
          return everything(`"${path}" holds ${link.path}, which leads to the whole repository`);
        if (!names.has(keyOf(leads.path))) names.set(keyOf(leads.path), leads.path);
        if (names.size > MAX_NAMES)
          return everything(`"${path}" leads to more than ${MAX_NAMES} places through links`);
      }
    }
    return { kind: 'paths', paths: [...names.values()] };
  }

  #isInSubmodule(path: string): boolean {
    return this.#submodules.has(keyOf(path));
  }

  /** The links below a directory, and those that a module's name without its extension may mean. */
  #linksIn(key: string): readonly TrackedLink[] {
    return [...(this.#below.get(key) ?? []), ...(this.#modules.get(key) ?? [])];
  }

  /** Follows a path from the top, segment by segment, as a file system does. */
  #walk(segments: readonly string[], open: readonly TrackedLink[]): Leads {
    let real: string[] = [];
    let kind: 'path' | 'nowhere' = 'path';
    for (const [i, segment] of segments.entries()) {
      if (segment === '' || segment === '.') continue;
      if (segment === '..') {
        if (real.pop() === undefined) return { kind: 'unknown', why: 'leads out of the repository' };
        continue;
      }
      real.push(segment);
      const key = keyOf(real.join('/'));
      const submodule = this.#submodules.get(key);
      if (submodule !== undefined) {
        return segments.slice(i + 1).includes('..')
          ? { kind: 'unknown', why: 'leads through a submodule' }
          : { kind, path: submodule };
      }
      const links = this.#links.get(key);
      if (!links) continue;
      const leads = this.#whereAllLead(links, open);
      if (leads.kind === 'circle' || leads.kind === 'unknown') return leads;
      kind = leads.kind === 'nowhere' ? 'nowhere' : kind;
      real = leads.path === '' ? [] : leads.path.split('/');
    }
    if (real.some((segment) => keyOf(segment) === '.GIT'))
      return { kind: 'unknown', why: "leads into git's own directory" };
    return { kind, path: real.join('/') };
  }

  #whereAllLead(links: readonly TrackedLink[], open: readonly TrackedLink[]): Leads {
    const all = links.map((link) => this.#leadsOf(link, open));
    const first = all[0] as Leads;
    const same = all.every(
      (leads) => JSON.stringify(leads) === JSON.stringify(first) || leads.kind === 'unknown',
    );
    return same
      ? (all.find((leads) => leads.kind === 'unknown') ?? first)
      : { kind: 'unknown', why: 'is one of several links that differ in case alone' };
  }

  #leadsOf(link: TrackedLink, open: readonly TrackedLink[]): Leads {
    const known = this.#known.get(link);
    if (known) return known;
    if (open.includes(link)) return { kind: 'circle', why: 'is a link that leads in a circle' };
    // Not kept: how far it is from where this began is not how far it is.
    if (open.length >= MAX_HOPS) return { kind: 'unknown', why: `leads through more than ${MAX_HOPS} links` };
    const leads = this.#follow(link, [...open, link]);
    if (leads.kind !== 'unknown' || open.length === 0) this.#known.set(link, leads);
    return leads;
  }

  #follow({ path, target }: TrackedLink, open: readonly TrackedLink[]): Leads {
    if (target === undefined || target.length > LONGEST_TARGET)
      return { kind: 'unknown', why: 'is a link whose target could not be read' };
    if (/^[A-Za-z]:|^\/|\\/.test(target))
      return { kind: 'unknown', why: 'is a link that leads out of the repository' };
    const end = this.#walk([...path.split('/').slice(0, -1), ...target.split('/')], open);
    if (end.kind !== 'path' || end.path === '' || this.#tracked.has(end.path)) return end;
    return { kind: 'nowhere', path: end.path };
  }
}

function everything(why: string): Names {
  return { kind: 'everything', why };
}

function append(map: Map<string, TrackedLink[]>, key: string, link: TrackedLink): void {
  const list = map.get(key);
  if (list) list.push(link);
  else map.set(key, [link]);
}
