import type { Ticket } from '../../shared/domain.ts';
import { formatBytes } from '../../shared/sizes.ts';
import { type PathContext, readPath } from '../paths/paths.ts';
import { decodeText } from './decode-text.ts';
import { checkDependencies, type TicketProblem } from './dependencies.ts';
import type { LineProblem } from './fields.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { type RawTicket, splitTickets } from './split-tickets.ts';

export type { TicketProblem } from './dependencies.ts';

export type TicketFile = { name: string; bytes: Uint8Array | string };

/** A ticket and where it, its text and the agent that it names stand; lines count from 1. */
export type ParsedTicket = Ticket & { file: string; line: number; textLine: number; agentLine?: number };

export type ParseOptions = PathContext & {
  /** Ids of tickets of earlier submissions, which dependencies may name. */
  known?: ReadonlySet<string>;
};

/** A ticket's text and front matter together. */
export const MAX_TICKET_BYTES = 1024 * 1024;
const MAX_TITLE_LENGTH = 200;
/** As long as the first line of a commit message should be. */
const MAX_FIRST_LINE_LENGTH = 72;
const ID = /^[A-Za-z0-9._][A-Za-z0-9._-]{0,63}$/;

type Draft = { ticket: ParsedTicket; parts: FrontMatter };

/**
 * Reads tickets: Markdown with YAML front matter, one a file or several. Whatever is wrong comes back as problems with
 * file and line, all at once; tickets are good to run only if there are none.
 */
export function parseTickets(
  files: readonly TicketFile[],
  options: ParseOptions,
): { tickets: ParsedTicket[]; problems: TicketProblem[] } {
  const problems: TicketProblem[] = [];
  const drafts: Draft[] = [];
  for (const { name: file, bytes } of files) {
    const decoded = decodeText(bytes);
    if ('message' in decoded) {
      problems.push({ file, ...decoded });
      continue;
    }
    const split = splitTickets(decoded.text);
    problems.push(...split.problems.map((problem) => ({ file, ...problem })));
    for (const raw of split.tickets) {
      const { draft, problems: found } = readTicket(raw, file, split.tickets.length > 1, options);
      problems.push(...found.map((problem) => ({ file, ...problem })));
      drafts.push(draft);
    }
  }
  problems.push(...findDuplicates(drafts));
  const dependents = drafts.map(({ ticket: { id, file }, parts: { dependsOn, related } }) => ({
    id,
    file,
    dependsOn,
    related,
  }));
  problems.push(...checkDependencies(dependents, options.known ?? new Set()));
  return { tickets: drafts.map(({ ticket }) => ticket), problems: inOrder(problems, files) };
}

/** As they are found when the files are read from top to bottom. */
export function inOrder(problems: readonly TicketProblem[], files: readonly TicketFile[]): TicketProblem[] {
  const place = new Map(files.map(({ name }, index) => [name, index]));
  return problems.toSorted((a, b) => (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0) || a.line - b.line);
}

function readTicket(
  raw: RawTicket,
  file: string,
  isOneOfSeveral: boolean,
  context: PathContext,
): { draft: Draft; problems: LineProblem[] } {
  const { text, textLine } = raw;
  const { frontMatter: parts, problems } = readFrontMatter(
    raw.frontMatter ?? '',
    raw.frontMatterLine,
    raw.language,
  );
  const sizeBytes = Buffer.byteLength(text) + Buffer.byteLength(raw.frontMatter ?? '');
  if (sizeBytes > MAX_TICKET_BYTES) {
    const message = `the ticket has ${formatBytes(sizeBytes)}; at most ${formatBytes(MAX_TICKET_BYTES)} are taken`;
    problems.push({ line: raw.line, message });
  }
  if (text === '')
    problems.push({ line: raw.line, message: 'the ticket has no text: say what is to be done' });

  const title = titleOf(text, parts);
  const stem = file.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
  const id = parts.id?.value ?? idFrom(isOneOfSeveral && title ? title : stem);
  const idProblem = problemOfId(id);
  if (idProblem) problems.push({ line: parts.id?.line ?? raw.line, message: idProblem });
  for (const { value, line } of parts.paths ?? []) {
    const reading = readPath(value.replace(/^!\s*/, ''), context);
    if (reading.kind === 'outside') {
      problems.push({ line, message: `paths: ${reading.why}; name paths below the repository's top` });
    }
  }

  const ticket: ParsedTicket = {
    id,
    title: title ?? firstLineOf(text) ?? id,
    text,
    ...(parts.paths && { paths: parts.paths.map(({ value }) => value) }),
    dependsOn: [...new Set(parts.dependsOn.map(({ value }) => value))],
    related: [...new Set(parts.related.map(({ value }) => value))],
    priority: parts.priority ?? 'batch',
    ...(parts.agent && { agent: parts.agent.value, agentLine: parts.agent.line }),
    ...(parts.timeoutMs !== undefined && { timeoutMs: parts.timeoutMs }),
    file,
    line: raw.line,
    textLine,
  };
  return { draft: { ticket, parts }, problems };
}

const withoutCode = (text: string): string =>
  text.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, '');

const asOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim();

/** The title of the front matter, or the text's first heading. One line: it is shown in tables and terminals. */
function titleOf(text: string, parts: FrontMatter): string | undefined {
  const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(withoutCode(text))?.[1];
  const title = asOneLine(parts.title?.value ?? heading ?? '');
  return title ? title.slice(0, MAX_TITLE_LENGTH) : undefined;
}

/**
 * The first line of the text that says something, without the marks of a list or quotation. Cut between words: titles
 * are read for paths, and half of a path is another one.
 */
function firstLineOf(text: string): string | undefined {
  const lines = withoutCode(text)
    .split('\n')
    .map((line) => asOneLine(line).replace(/^(?:[>*+-]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, ''));
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined || line.length <= MAX_FIRST_LINE_LENGTH) return line;
  const words = line.slice(0, MAX_FIRST_LINE_LENGTH).replace(/\s+\S*$/, '');
  return words.length < MAX_FIRST_LINE_LENGTH ? `${words}…` : undefined;
}

/** Makes an id of a file's name or a title. */
function idFrom(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '');
  return ascii
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 64);
}

function problemOfId(id: string): string | undefined {
  if (id === '') return "the ticket needs an id: its file's name has no letter or digit to make one of";
  if (!ID.test(id)) {
    return `id "${id}" must be 1 to 64 letters, digits, dots, underscores or dashes, and not begin with a dash`;
  }
  // Branches are called after tickets.
  const isNoBranch =
    id.startsWith('.') || id.endsWith('.') || id.includes('..') || id.toLowerCase().endsWith('.lock');
  return isNoBranch
    ? `id "${id}" can't be part of a branch's name: no dot at either end, no "..", no ".lock"`
    : undefined;
}

/** Ids that differ in case alone are the same on some file systems. */
function findDuplicates(drafts: readonly Draft[]): TicketProblem[] {
  const problems: TicketProblem[] = [];
  const seen = new Map<string, Draft>();
  for (const draft of drafts) {
    const { id, file } = draft.ticket;
    const first = seen.get(id.toLowerCase());
    if (!first) {
      seen.set(id.toLowerCase(), draft);
      continue;
    }
    const lineOf = (of: Draft): number => of.parts.id?.line ?? of.ticket.line;
    const place = `${first.ticket.file}:${lineOf(first)}`;
    problems.push({ file, line: lineOf(draft), message: `id "${id}" is taken already by ${place}` });
  }
  return problems;
}
