/** What a Markdown file refers to and what may be referred to in it. */
export type Note = {
  links: Link[];
  /** Headings as they stand, and the ids of blocks (`^id`) and HTML anchors. */
  headings: string[];
  anchors: string[];
  /** Where the front matter is wrong; undefined where it is right or absent. */
  frontMatter: string | undefined;
};
export type Link = { line: number; kind: 'wikilink' | 'link'; target: string; embed: boolean };

/** Code and comments become spaces, so that places stay and nothing in them is taken for a link. */
function withoutCode(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  return text
    .replace(/^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S]))/gm, blank)
    .replace(/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, blank)
    .replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, blank)
    .replace(/\$\$[\s\S]*?\$\$/g, blank);
}

/** The text between the lines that open and close front matter, and all of it; undefined where a note has none. */
export function frontMatterOf(text: string): { all: string; yaml: string } | undefined {
  const front = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  return front ? { all: front[0], yaml: front[1] ?? '' } : undefined;
}

export function readNote(text: string, parseYaml: (text: string) => unknown): Note {
  const front = frontMatterOf(text);
  let frontMatter: string | undefined;
  if (front) {
    try {
      const value = parseYaml(front.yaml);
      if (value !== null && value !== undefined && (typeof value !== 'object' || Array.isArray(value)))
        frontMatter = 'front matter is no list of keys';
    } catch (thrown) {
      frontMatter = `front matter is not YAML: ${(thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]}`;
    }
  }
  const body = withoutCode(front ? front.all.replace(/[^\n]/g, ' ') + text.slice(front.all.length) : text);
  const links: Link[] = [];
  const headings: string[] = [];
  const anchors: string[] = [];
  const lines = body.split('\n');
  for (const [index, line] of lines.entries()) {
    const at = { line: index + 1 };
    const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/.exec(line)?.[1];
    if (heading !== undefined) headings.push(heading);
    const under = lines[index + 1];
    if (under !== undefined && /^ {0,3}(=+|-+)[ \t]*$/.test(under) && /\S/.test(line))
      headings.push(line.trim());
    for (const [, id = ''] of line.matchAll(/(?:^|\s)\^([\w-]+)\s*$/g)) anchors.push(`^${id}`);
    for (const [, id = ''] of line.matchAll(/<[^>]+\b(?:id|name)=["']([^"']+)["']/g)) anchors.push(id);
    for (const [, id = ''] of line.matchAll(/\{#([\w-]+)\}/g)) anchors.push(id);
    for (const [, bang = '', target = ''] of line.matchAll(/(!?)\[\[([^\]\n]+?)\]\]/g)) {
      links.push({
        ...at,
        kind: 'wikilink',
        target: target.replace(/\\?\|.*$/, '').trim(),
        embed: bang === '!',
      });
    }
    for (const [, bang = '', target = ''] of line.matchAll(
      /(!?)\[(?:[^\][]|\[[^\][]*\])*\]\(\s*(<[^>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+["'(][^)]*)?\)/g,
    )) {
      links.push({ ...at, kind: 'link', target: target.replace(/^<(.*)>$/, '$1'), embed: bang === '!' });
    }
    const reference = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(<[^>]*>|\S+)/.exec(line)?.[1];
    if (reference !== undefined)
      links.push({ ...at, kind: 'link', target: reference.replace(/^<(.*)>$/, '$1'), embed: false });
  }
  return { links, headings, anchors, frontMatter };
}
