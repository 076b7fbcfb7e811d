import { fromMarkdown } from 'mdast-util-from-markdown';

type Root = ReturnType<typeof fromMarkdown>;
type Content = Root['children'][number];
type Heading = Extract<Content, { type: 'heading' }>;

/*
 * Where Markdown's own rules decide. The library takes about a second for 400 kB, and more than a second for a hostile line of 10 kB with many
 * asterisks or brackets, so it is asked for one heading, or for a note in which something seems wrong, without what is slow and
 * changes no block. All else is read in one pass by `markdown-text.ts`.
 */

const MAX_HEADING = 500;
/** Signs that may mean something in a heading. */
const MARKUP = /[`*_[\]<>&\\!~]/;

/** Pure: a heading as it is read, without its markup: `` `a_b` and *c* `` is `a_b and c`. Of a wikilink its alias stays. */
export function headingText(heading: string): string {
  const plain = heading.replace(/!?\[\[([^\]|]*\|)?([^\]]*)\]\]/g, '$2').trim();
  if (!MARKUP.test(plain) || plain.length > MAX_HEADING) return plain;
  const [first] = fromMarkdown(`# ${plain.replace(/\n/g, ' ')}`).children;
  return first?.type === 'heading' ? first.children.map(wordsOf).join('').trim() : plain;
}

/** HTML and images are no words. */
function wordsOf(node: Heading['children'][number]): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}

/** Blocks of a note. */
export type Structure = {
  /** Headings as they stand, also those in quotes and lists. */
  headings: string[];
  /** Is the place in code, indented or fenced at any depth, in a comment, or behind a backslash? */
  isCode(offset: number): boolean;
};

const BLOCKS_AND_CODE = {
  extensions: [
    {
      disable: {
        null: [
          ...['attention', 'labelStartImage', 'labelStartLink', 'labelEnd', 'definition', 'autolink'],
          ...['characterReference', 'hardBreakEscape', 'htmlText'],
        ],
      },
    },
  ],
};

/** Pure: the blocks of a note's text. Quadratic in hostile text: the caller bounds its length. */
export function structureOf(text: string): Structure {
  const headings: string[] = [];
  const code: [from: number, to: number][] = [];
  const visit = (node: Root | Content): void => {
    const from = node.position?.start.offset ?? 0;
    const to = node.position?.end.offset ?? 0;
    if (node.type === 'heading') headings.push(inside(node, text));
    else if (node.type === 'code' || node.type === 'inlineCode') code.push([from, to]);
    else if (node.type === 'html' && node.value.startsWith('<!--')) code.push([from, to]);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(text, BLOCKS_AND_CODE));
  return {
    headings,
    isCode: (offset) =>
      code.some(([from, to]) => from <= offset && offset < to) ||
      /(?<!\\)(\\\\)*\\$/.test(text.slice(Math.max(0, offset - 20), offset)),
  };
}

function inside({ children }: Heading, text: string): string {
  return text.slice(children[0]?.position?.start.offset ?? 0, children.at(-1)?.position?.end.offset ?? 0);
}
