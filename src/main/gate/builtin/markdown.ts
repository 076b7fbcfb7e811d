import { posix } from 'node:path';
import GithubSlugger, { slug } from 'github-slugger';
import { parse as parseYaml } from 'yaml';
import { matchesAny } from '../../paths/globs.ts';
import { type FrontMatterRule, wrongFrontMatter } from './front-matter.ts';
import { headingText, type Structure, structureOf } from './markdown-structure.ts';
import { type Link, type Note, readNote, withoutFrontMatter } from './markdown-text.ts';
import { isMarkdown, Places, type Vault, vaultsOf } from './places.ts';
import type { BuiltinResult, BuiltinTree, Problem } from './problems.ts';

const EXTERNAL = /^([a-z][\w+.-]*:|\/\/|#?$|\{\{|\$)/i;
/** Directories of programs, not notes. */
const NOT_NOTES = /(^|\/)(node_modules|\.obsidian|\.trash|vendor)\//;
/** Longer notes, in characters, and more of them, are judged by the quick reading alone: the exact one takes too long in hostile text. */
const MAX_EXACT = 64 * 1024;
const MAX_EXACT_ALL = 16 * MAX_EXACT;

/**
 * Pure: links, wikilinks, embeds and anchors that lead nowhere, front matter that is wrong or not as `rules` want it, names that mean
 * two notes.
 */
export function checkMarkdown(tree: BuiltinTree, rules: readonly FrontMatterRule[] = []): BuiltinResult {
  const notes = new Map<string, Note>();
  const problems: Problem[] = [];
  for (const path of tree.files) {
    if (!isMarkdown(path) || NOT_NOTES.test(path)) continue;
    const text = tree.read(path)?.replace(/\r\n/g, '\n');
    if (text === undefined) continue;
    notes.set(path, readNote(text, parseYaml));
    problems.push(...wrongFrontMatter(path, text, rules));
  }
  const repository = new Repository(tree, notes);
  let links = 0;
  for (const [path, note] of notes) {
    if (note.frontMatter !== undefined) problems.push({ path, line: 1, message: note.frontMatter });
    for (const link of note.links) {
      if (EXTERNAL.test(link.target)) continue;
      const message = repository.wrong(path, link);
      if (message !== undefined && repository.isCode(path, link)) continue;
      links += 1;
      if (message !== undefined) problems.push({ path, line: link.line, message });
    }
  }
  const ruled = rules.map(
    ({ glob }) =>
      `, front matter of ${[...notes.keys()].filter((path) => matchesAny(path, [glob])).length} in ${glob}`,
  );
  return { problems, looked: `${notes.size} notes, ${links} links${ruled.join('')}`, count: notes.size };
}

class Repository {
  readonly #tree: BuiltinTree;
  readonly #notes: ReadonlyMap<string, Note>;
  readonly #places: Places;
  readonly #vaultOf: (path: string) => Vault;
  readonly #anchors = new Map<string, ReadonlySet<string>>();
  readonly #structures = new Map<string, Structure | undefined>();
  #left = MAX_EXACT_ALL;

  constructor(tree: BuiltinTree, notes: ReadonlyMap<string, Note>) {
    this.#tree = tree;
    this.#notes = notes;
    this.#places = new Places(tree.files);
    this.#vaultOf = vaultsOf(tree.files);
  }

  /** What is wrong with a link, in words. */
  wrong(from: string, link: Link): string | undefined {
    const hash = link.target.indexOf('#');
    const raw = hash < 0 ? link.target : link.target.slice(0, hash);
    const anchor = hash < 0 ? '' : link.target.slice(hash + 1);
    const shown = link.kind === 'wikilink' ? `[[${link.target}]]` : link.target;
    const kind = link.embed ? 'embed' : link.kind;
    const vault = this.#vaultOf(from);
    let target: string | undefined;
    if (raw === '') target = from;
    else if (link.kind === 'wikilink') {
      const found = vault.named(raw.replace(/^\.?\//, ''));
      const beside = found.find((path) => posix.dirname(path) === posix.dirname(from));
      if (found.length > 1 && beside === undefined && !raw.includes('/'))
        return `${kind} ${shown} means ${found.slice(0, 3).join(' or ')}`;
      target = beside ?? found[0] ?? this.#places.path(posix.join(posix.dirname(from), raw));
    } else {
      const path = decoded(raw.replace(/\?.*$/, ''));
      const joined = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(from), path);
      const clean = joined.replace(/\/$/, '').replace(/^\.$/, '');
      target = this.#places.path(clean);
      if (target === undefined && vault.isObsidian) target = inVault(vault, path);
      if (target === undefined && clean.startsWith('..')) return undefined; // outside the repository: nothing is known there
      if (target === undefined && this.#places.isDirectory(clean)) return undefined;
    }
    if (target === undefined) return `${kind} ${shown} leads nowhere`;
    if (anchor === '' || !this.#notes.has(target) || this.#hasAnchor(target, anchor, link.kind))
      return undefined;
    return `${kind} ${shown}: ${target} has no heading or anchor ${decoded(anchor)}`;
  }

  /** Does the link stand in code, by Markdown's own rules? */
  isCode(path: string, link: Link): boolean {
    return this.#structure(path)?.isCode(link.offset) ?? false;
  }

  #hasAnchor(path: string, anchor: string, kind: Link['kind']): boolean {
    // `Note#Heading#Sub`: the last part is what it leads to.
    const wanted = decoded(anchor).split('#').at(-1)?.trim() ?? '';
    const note = this.#notes.get(path);
    if (note?.anchors.includes(wanted) || /^L\d+/.test(wanted)) return true;
    // A wikilink names the heading itself, a link what a site makes of it.
    const names = kind === 'link' ? [wanted.toLowerCase(), slug(wanted)] : [slug(headingText(wanted))];
    const isThere = (anchors: ReadonlySet<string>): boolean => names.some((name) => anchors.has(name));
    let anchors = this.#anchors.get(path);
    if (!anchors) {
      anchors = anchorsOf(note?.headings ?? []);
      this.#anchors.set(path, anchors);
    }
    if (isThere(anchors)) return true;
    // Headings in quotes and lists.
    const exact = this.#structure(path);
    return exact !== undefined && isThere(anchorsOf(exact.headings));
  }

  #structure(path: string): Structure | undefined {
    if (this.#structures.has(path)) return this.#structures.get(path);
    const text = this.#tree.read(path)?.replace(/\r\n/g, '\n') ?? '';
    const isShort = text.length <= Math.min(MAX_EXACT, this.#left);
    if (isShort) this.#left -= text.length;
    const found = isShort ? structureOf(withoutFrontMatter(text)) : undefined;
    this.#structures.set(path, found);
    return found;
  }
}

/** Obsidian also takes the path in a Markdown link for one from the top of the vault, or for a name. */
function inVault(vault: Vault, path: string): string | undefined {
  const plain = path.replace(/^\.?\//, '');
  return plain.startsWith('../') ? undefined : (vault.path(plain) ?? vault.named(plain)[0]);
}

/** The anchors of headings as GitHub makes them, the second of a name with a number. Other sites make none that begins or ends with a hyphen. */
function anchorsOf(headings: readonly string[]): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  return new Set(
    headings.flatMap((heading) => {
      const made = slugger.slug(headingText(heading));
      return [made, made.replace(/^-+|-+$/g, '')];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
