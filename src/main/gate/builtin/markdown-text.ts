/** What a Markdown file refers to and what may be referred to in it. */
export type Note = {
  links: Link[];
  /** Headings as they stand, with their markup, and the ids of blocks (`^id`) and HTML anchors. */
  headings: string[];
  anchors: string[];
  /** Where the front matter is wrong; undefined where it is right or absent. */
  frontMatter: string | undefined;
};
/** `offset` counts from the beginning of the text. */
export type Link = {
  line: number;
  offset: number;
  kind: 'wikilink' | 'link';
  target: string;
  embed: boolean;
};

const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
/** Longer lines are data, and expressions that search for links in them would take too long. */
const MAX_LINE = 10_000;

/** Blanks what stands between two signs, with them; what is not closed stays. */
function blankBetween(text: string, open: string, close: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const from = text.indexOf(open, at);
    const to = from < 0 ? -1 : text.indexOf(close, from + open.length);
    if (to < 0) return parts.join('') + text.slice(at);
    parts.push(text.slice(at, from), blank(text.slice(from, to + close.length)));
    at = to + close.length;
  }
}

/** Blanks code in a line: from a run of backticks to the next one of the same length. */
function withoutSpans(line: string): string {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ from: run.index, length: run[0].length }));
  let result = line;
  for (let at = 0; at < runs.length; at += 1) {
    const { from, length } = runs[at] ?? { from: 0, length: 0 };
    const end = runs.findIndex((run, index) => index > at && run.length === length);
    if (end < 0) continue;
    const to = (runs[end]?.from ?? 0) + length;
    result = result.slice(0, from) + ' '.repeat(to - from) + result.slice(to);
    at = end;
  }
  return result;
}

/** Code of several lines and comments become spaces, so that places stay and nothing in them is taken for a heading. */
function withoutBlocks(text: string): string {
  const plain = text.replace(
    /^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S]))/gm,
    blank,
  );
  return blankBetween(blankBetween(plain, '<!--', '-->'), '%%', '%%')
    .split('\n')
    .map((line) => (line.length > MAX_LINE ? blank(line) : line))
    .join('\n');
}

/** As well what is code in a line, and mathematics: nothing in it is a link. */
const withoutCode = (blocks: string): string =>
  blankBetween(blocks.split('\n').map(withoutSpans).join('\n'), '$$', '$$');

/** The text between the lines that open and close front matter, and all of it; undefined where a note has none. */
export function frontMatterOf(text: string): { all: string; yaml: string } | undefined {
  const front = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  return front ? { all: front[0], yaml: front[1] ?? '' } : undefined;
}

/** The front matter becomes spaces, so that places stay. */
export function withoutFrontMatter(text: string): string {
  const front = frontMatterOf(text);
  return front ? blank(front.all) + text.slice(front.all.length) : text;
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
  const blocks = withoutBlocks(withoutFrontMatter(text));
  const links: Link[] = [];
  const headings: string[] = [];
  const anchors: string[] = [];
  const written = blocks.split('\n');
  let start = 0;
  for (const [index, line] of withoutCode(blocks).split('\n').entries()) {
    const at = (column: number) => ({ line: index + 1, offset: lineStart + column });
    const lineStart = start;
    start += line.length + 1;
    const whole = written[index] ?? '';
    const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/.exec(whole)?.[1];
    if (heading !== undefined) headings.push(heading);
    const under = written[index + 1];
    if (under !== undefined && /^ {0,3}(=+|-+)[ \t]*$/.test(under) && /\S/.test(whole))
      headings.push(whole.trim());
    for (const [, id = ''] of line.matchAll(/(?:^|\s)\^([\w-]+)\s*$/g)) anchors.push(`^${id}`);
    for (const [, id = ''] of line.matchAll(/<[^>]+\b(?:id|name)=["']([^"']+)["']/g)) anchors.push(id);
    for (const [, id = ''] of line.matchAll(/\{#([\w-]+)\}/g)) anchors.push(id);
    for (const { 1: bang = '', 2: target = '', index: column } of line.matchAll(/(!?)\[\[([^\]\n]+?)\]\]/g)) {
      links.push({
        ...at(column),
        kind: 'wikilink',
        target: target.replace(/\\?\|.*$/, '').trim(),
        embed: bang === '!',
      });
    }
    for (const { 1: bang = '', 2: target = '', index: column } of line.matchAll(
      /(!?)\[(?:[^\][]|\[[^\][]*\])*\]\(\s*(<[^>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+["'(][^)]*)?\)/g,
    )) {
      links.push({
        ...at(column),
        kind: 'link',
        target: target.replace(/^<(.*)>$/, '$1'),
        embed: bang === '!',
      });
    }
    const reference = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(<[^>]*>|\S+)/.exec(line)?.[1];
    if (reference !== undefined)
      links.push({ ...at(0), kind: 'link', target: reference.replace(/^<(.*)>$/, '$1'), embed: false });
  }
  return { links, headings, anchors, frontMatter };
}
