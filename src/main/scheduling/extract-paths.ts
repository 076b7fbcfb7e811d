import { keysContain, pathKeys, stripInvisible } from '../paths/paths.ts';
import { cleanMention, type Mention, type ProseContext, readMention } from './path-mentions.ts';
import { type Prose, type ProseBlock, readProse } from './prose-blocks.ts';
import { cueOf, doubtOfText } from './prose-cues.ts';

export type Extraction = {
  /** Paths that the text names, relative to the repository. */
  paths: string[];
  /** Whether they are named without doubt, so that they may stand for a declaration. */
  claim: boolean;
  /** What is in doubt, or that nothing is. */
  why: string;
};

/** Stands for a path in a clause while words around it are judged; paths may contain any word. */
const MASK = '\u0001';
/** Things with slashes that are no paths: addresses, remotes, issues of a repository, versions, mail. */
const NO_PATHS =
  /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|mailto:)[^\s<>"'`)\]]+|[\w.-]+@[\w.-]+(?::[\w./~-]+)?|[\w.-]+\/[\w.-]+#\d+|(?<![\w/.])v?\d+(?:\.\d+)+(?![\w/])/gi;
const SENTENCE_END = /[.;!?。！？](?=\s|$)/g;
const ABBREVIATION_END = /\b(?:e\.g|i\.e|cf|vs|incl|approx|z\.b)\.$/i;
const LONGEST_ABBREVIATION = 8;
const LONGEST_NAME_WORDS = 8;
/** Prose is shorter. A log or a blob that was pasted in would be read for minutes, and nothing it names is without doubt. */
const LONGEST = { text: 100_000, block: 10_000, word: 1000 };
const LONG_WORD = new RegExp(`\\S{${LONGEST.word + 1}}`);

type Found = { at: number; mention: NonNullable<Mention> };

/**
 * Takes paths from a ticket's prose, where it names them without doubt. Each path is judged in its clause: one that is
 * not to be touched, serves as an example, or stands in a trace or in code is not what will be edited. When in doubt the
 * answer is that it may not be relied on, and the ticket touches everything.
 */
export function extractPaths(text: string, context: ProseContext): Extraction {
  const prose = readProse(stripInvisible(text).normalize('NFC').replaceAll('\u00a0', ' '));
  const tooLong = overlong(prose);
  if (tooLong !== undefined)
    return { paths: [], claim: false, why: `${tooLong} too long to be read for paths` };
  const claimed = new Map<string, string>();
  const aside: string[] = [];
  const doubts: string[] = [];
  const masked: string[] = [];
  for (const block of prose.blocks) {
    const { found, rest } = findPaths(block, context);
    masked.push(rest);
    const ends = sentenceEnds(rest);
    for (const { at, mention } of found) {
      const cue = block.cue ?? cueOfPlace(rest, ends, at);
      if (cue === 'hands-off') continue;
      if (mention.kind === 'doubt') doubts.push(mention.why);
      else if (cue === 'doubt') aside.push(mention.path);
      else claimed.set(pathKeys(mention.path).join('/'), mention.path);
    }
  }
  const quoted = prose.quoted.flatMap((line) => quotedPaths(line, context));
  const keys = [...claimed.values()].map(pathKeys);
  const isClaimed = (path: string): boolean => keys.some((outer) => keysContain(outer, pathKeys(path)));
  const inQuotes = [...new Set(quoted)].filter((path) => !isClaimed(path));
  for (const path of aside) if (!isClaimed(path)) doubts.push(`${path} may be there for another reason`);
  for (const path of inQuotes) doubts.push(`${path} stands in a trace or in code`);
  const more = doubtOfText(masked.join('\n'));
  if (more) doubts.push(more);

  const paths = [...claimed.values(), ...inQuotes];
  if (claimed.size === 0) return { paths, claim: false, why: doubts[0] ?? 'it names no paths' };
  if (doubts[0]) return { paths, claim: false, why: doubts[0] };
  return { paths, claim: true, why: 'its text names them' };
}

/** What of it nobody wrote, or undefined. */
function overlong({ blocks, quoted }: Prose): string | undefined {
  const texts = [...blocks.map((block) => block.text), ...quoted];
  if (texts.some((text) => LONG_WORD.test(text))) return 'a word is';
  if (blocks.some((block) => block.text.length > LONGEST.block)) return 'a paragraph is';
  return texts.reduce((sum, text) => sum + text.length, 0) > LONGEST.text ? 'its text is' : undefined;
}

/** Where sentences end; "e.g." and the like end none. */
const sentenceEnds = (rest: string): number[] =>
  [...rest.matchAll(SENTENCE_END)].flatMap(({ index }) =>
    ABBREVIATION_END.test(rest.slice(Math.max(0, index - LONGEST_ABBREVIATION), index + 1)) ? [] : index,
  );

/** The cue for a masked path at `at`, judged within its sentence. */
function cueOfPlace(rest: string, ends: readonly number[], at: number): ReturnType<typeof cueOf> {
  const from = (ends.findLast((end) => end < at) ?? -1) + 1;
  const to = ends.find((end) => end >= at) ?? rest.length;
  return cueOf(rest.slice(from, to), at - from);
}

/** Finds what looks like paths in a block, and the block with each of them masked, at the same places. */
function findPaths(block: ProseBlock, context: ProseContext): { found: Found[]; rest: string } {
  const found: Found[] = [];
  let rest = block.text;
  const mask = (at: number, length: number): void => {
    rest = rest.slice(0, at) + MASK.repeat(length) + rest.slice(at + length);
  };
  const note = (at: number, mention: Mention): void => {
    if (mention) found.push({ at, mention });
  };

  // Code first: what is between backticks is one thing, whatever it contains.
  for (const span of block.text.matchAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)) {
    for (const mention of readSpan(span[2] ?? '', context)) note(span.index, mention);
    mask(span.index, span[0].length);
  }
  for (const address of rest.matchAll(NO_PATHS)) {
    // Dots behind an address end the sentence.
    mask(address.index, address[0].replace(/[.,;:!?]+$/, '').length);
  }
  for (const link of rest.matchAll(/\]\(\s*<?([^)\s>\u0001]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
    const at = link.index + link[0].indexOf(link[1] ?? '');
    note(at, readMention(cleanMention(link[1] ?? '', 'code', context), 'code', context));
    mask(link.index + 1, link[0].length - 1);
  }
  const words = [...rest.matchAll(/[^\s,\u0001]+/g)].filter(
    (word) => !/^(?:->|=>|→|[-–—|*+]+)$/.test(word[0]),
  );
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as RegExpExecArray;
    const joined = joinWords(rest, words, i, context);
    if (joined) {
      note(word.index, { kind: 'path', path: joined.path });
      mask(word.index, joined.length);
      i = joined.last;
      continue;
    }
    const mention = readMention(cleanMention(word[0], 'plain', context), 'plain', context);
    if (!mention) continue;
    note(word.index, mention);
    const sentenceEnd = /[.;!?]$/.test(word[0]) ? 1 : 0;
    mask(word.index, word[0].length - sentenceEnd);
  }
  return { found, rest };
}

/** `docs/design notes/plan.md` without quotes: words that only together are a path of the repository. */
function joinWords(
  rest: string,
  words: readonly RegExpExecArray[],
  first: number,
  context: ProseContext,
): { path: string; last: number; length: number } | undefined {
  const start = words[first]?.index ?? 0;
  if (!/[\\/]/.test(words[first]?.[0] ?? '')) return undefined;
  for (let last = Math.min(words.length - 1, first + LONGEST_NAME_WORDS); last > first; last -= 1) {
    const end = (words[last]?.index ?? 0) + (words[last]?.[0].length ?? 0);
    const text = cleanMention(rest.slice(start, end), 'plain', context);
    if (!/\s/.test(text) || !context.tracked.has(text.replaceAll('\\', '/').replace(/\/+$/, ''))) continue;
    const mention = readMention(text, 'code', context);
    if (mention?.kind === 'path') return { path: mention.path, last, length: end - start };
  }
  return undefined;
}

/** What is between backticks: one path, a list of paths, or a command, whose paths are no work. */
function readSpan(span: string, context: ProseContext): Mention[] {
  const text = cleanMention(span, 'code', context);
  // A comma in braces belongs to a pattern.
  const words = text.split(/\s*,\s*(?![^{]*\})|\s+/).filter(Boolean);
  if (words.length < 2 || context.tracked.has(text.replaceAll('\\', '/').replace(/^\.\/|\/+$/g, ''))) {
    return [readMention(text, 'code', context)];
  }
  const mentions = words.map((word) => readMention(cleanMention(word, 'code', context), 'code', context));
  if (mentions.every((mention) => mention?.kind === 'path')) return mentions;
  return mentions.map((mention) =>
    mention?.kind === 'path' ? { kind: 'doubt', why: `${mention.path} is part of "${text}"` } : mention,
  );
}

/** Paths of the repository in a trace, a diff or code; what is not tracked is nothing there. */
function quotedPaths(line: string, context: ProseContext): string[] {
  const paths: string[] = [];
  for (const [word] of line.replace(NO_PATHS, ' ').matchAll(/[^\s,"'`]+/g)) {
    if (/(?:^|[\\/])node_modules[\\/]/.test(word) || word.startsWith('node:')) continue;
    for (const text of [word, word.replace(/^[ab]\//, '')]) {
      const mention = readMention(cleanMention(text, 'code', context), 'plain', context);
      if (mention?.kind !== 'path' || !context.tracked.has(mention.path)) continue;
      paths.push(mention.path);
      break;
    }
  }
  return paths;
}
