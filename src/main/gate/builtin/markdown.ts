import { posix } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { matchesAny } from '../../paths/globs.ts';
import { type FrontMatterRule, wrongFrontMatter } from './front-matter.ts';
import { type Link, type Note, readNote } from './markdown-text.ts';
import type { BuiltinResult, BuiltinTree, Problem } from './problems.ts';

const isMarkdown = (path: string): boolean => /\.(md|markdown|mdx)$/i.test(path);
const EXTERNAL = /^([a-z][\w+.-]*:|\/\/|#?$|\{\{|\$)/i;
/** Directories of programs, not notes. */
const NOT_NOTES = /(^|\/)(node_modules|\.obsidian|\.trash|vendor)\//;

/** As GitHub and most site builders make an anchor of a heading. */
const slug = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[\[([^\]|]*\|)?([^\]]*)\]\]/g, '$2')
    .toLowerCase()
    .replace(/<[^>]*>/g, '')
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .trim()
    .replace(/ /g, '-');

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
  const places = new Places(tree.files);
  let links = 0;
  for (const [path, note] of notes) {
    if (note.frontMatter !== undefined) problems.push({ path, line: 1, message: note.frontMatter });
    for (const link of note.links) {
      if (EXTERNAL.test(link.target)) continue;
      links += 1;
      const message = wrong(path, link, notes, places);
      if (message !== undefined) problems.push({ path, line: link.line, message });
    }
  }
  const ruled = rules.map(
    ({ glob }) =>
      `, front matter of ${[...notes.keys()].filter((path) => matchesAny(path, [glob])).length} in ${glob}`,
  );
  return { problems, looked: `${notes.size} notes, ${links} links${ruled.join('')}`, count: notes.size };
}

/** Files by path and by name, without case, as note programs look for them. */
class Places {
  readonly #paths = new Map<string, string>();
  readonly #names = new Map<string, string[]>();
  readonly #directories = new Set<string>(['']);

  constructor(files: readonly string[]) {
    for (const path of files) {
      this.#paths.set(path.toLowerCase(), path);
      const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
      for (const key of isMarkdown(name) ? [name, name.replace(/\.\w+$/, '')] : [name]) {
        this.#names.set(key, [...(this.#names.get(key) ?? []), path]);
      }
      for (let dir = posix.dirname(path); dir !== '.'; dir = posix.dirname(dir))
        this.#directories.add(dir.toLowerCase());
    }
  }

  path(path: string): string | undefined {
    const low = path.toLowerCase();
    return (
      this.#paths.get(low) ??
      this.#paths.get(`${low}.md`) ??
      this.#paths.get(`${low}/readme.md`) ??
      this.#paths.get(`${low}/index.md`)
    );
  }

  isDirectory = (path: string): boolean => this.#directories.has(path.toLowerCase());

  /** Notes or files that a wikilink may mean: a path from the top or its end, or a name. */
  named(target: string): string[] {
    const exact = this.path(target);
    if (exact !== undefined) return [exact];
    const low = target.toLowerCase();
    const byName = this.#names.get(low.slice(low.lastIndexOf('/') + 1)) ?? [];
    return low.includes('/')
      ? byName.filter(
          (path) =>
            path
              .toLowerCase()
              .replace(/\.\w+$/, '')
              .endsWith(`/${low.replace(/\.md$/, '')}`) || path.toLowerCase().endsWith(`/${low}`),
        )
      : byName;
  }
}

function wrong(
  from: string,
  link: Link,
  notes: ReadonlyMap<string, Note>,
  places: Places,
): string | undefined {
  const hash = link.target.indexOf('#');
  const raw = hash < 0 ? link.target : link.target.slice(0, hash);
  const anchor = hash < 0 ? '' : link.target.slice(hash + 1);
  const shown = link.kind === 'wikilink' ? `[[${link.target}]]` : link.target;
  const kind = link.embed ? 'embed' : link.kind;
  let target: string | undefined;
  if (raw === '') target = from;
  else if (link.kind === 'wikilink') {
    const found = places.named(raw.replace(/^\.?\//, ''));
    const beside = found.find((path) => posix.dirname(path) === posix.dirname(from));
    if (found.length > 1 && beside === undefined && !raw.includes('/'))
      return `${kind} ${shown} means ${found.slice(0, 3).join(' or ')}`;
    target = beside ?? found[0] ?? places.path(posix.join(posix.dirname(from), raw));
  } else {
    const path = decoded(raw.replace(/\?.*$/, ''));
    const joined = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(from), path);
    const clean = joined.replace(/\/$/, '').replace(/^\.$/, '');
    if (clean.startsWith('..')) return undefined; // outside the repository: nothing is known there
    target = places.path(clean);
    if (target === undefined && places.isDirectory(clean)) return undefined;
  }
  if (target === undefined) return `${kind} ${shown} leads nowhere`;
  const note = notes.get(target);
  if (anchor === '' || note === undefined || hasAnchor(note, anchor)) return undefined;
  return `${kind} ${shown}: ${target} has no heading or anchor ${decoded(anchor)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hasAnchor(note: Note, anchor: string): boolean {
  // `Note#Heading#Sub`: the last part is what it leads to.
  const wanted = decoded(anchor).split('#').at(-1)?.trim() ?? '';
  if (note.anchors.includes(wanted) || /^L\d+/.test(wanted)) return true;
  const slugs = note.headings.map(slug);
  const plain = slug(wanted);
  if (slugs.includes(plain) || slugs.includes(wanted.toLowerCase())) return true;
  // The second heading of a name has a number behind it.
  const numbered = /^(.*)-(\d+)$/.exec(plain);
  return numbered !== null && slugs.filter((each) => each === numbered[1]).length > Number(numbered[2]);
}
