import { type Cue, cueOf, cueOfHeading } from './prose-cues.ts';

/** A heading, list item or paragraph, its lines joined; `cue` is what headings and lead-ins above say of all in it. */
export type ProseBlock = { text: string; cue: Cue };

export type Prose = {
  blocks: ProseBlock[];
  /** Lines that only mention paths: stack traces, diffs, code, comments. */
  quoted: string[];
};

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/;
const TRACE =
  /^\s*(?:at\s.+[:(]\d+|at\s.+\(.+\)\s*$|File "[^"]+", line \d+|from \S+:\d+:in |\S+\.go:\d+ \+0x|-->\s+\S+:\d+|#\d+\s.+:\d+|\d+:\s.+\bat\b|.*\bnode_modules\/)/;
const DIFF =
  /^(?:diff --git |index [0-9a-f]{7,}|--- \S|\+\+\+ \S|@@ |rename (?:from|to) |(?:deleted|new) file mode )/;
const ITEM = /^(\s*)(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/;
const HEADING = /^ {0,3}#{1,6}\s+(.*)$/;

type Lead = { cue: Cue; indent: number; items: number };

/** Takes a ticket's text apart. Fenced blocks for Headway's own use (`headway`) are left out wholly. */
export function readProse(text: string): Prose {
  const blocks: ProseBlock[] = [];
  const quoted: string[] = [];
  let fence: { marker: string; own: boolean } | undefined;
  let open: ProseBlock | undefined;
  let section: Cue;
  let lead: Lead | undefined;

  const closeBlock = (indent: number): void => {
    const ended = open;
    open = undefined;
    if (!ended || !/[:：]\s*$/.test(ended.text)) return;
    const cue = ended.cue ?? cueOf(ended.text, ended.text.length) ?? cueOfHeading(ended.text);
    if (cue) lead = { cue, indent, items: 0 };
  };
  const start = (content: string, cue: Cue): void => {
    open = { text: content, cue };
    blocks.push(open);
  };

  let indent = -1;
  const withoutComments = text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => {
    quoted.push(...comment.split('\n'));
    return ' ';
  });
  for (const line of withoutComments.split(/\r\n|\r|\n/)) {
    const marker = FENCE.exec(line);
    if (fence) {
      const closes = marker?.[1]?.startsWith(fence.marker) && marker[2] === '';
      if (closes) fence = undefined;
      else if (!fence.own) quoted.push(line);
      continue;
    }
    if (marker) {
      closeBlock(indent);
      fence = { marker: marker[1] ?? '', own: marker[2]?.toLowerCase() === 'headway' };
      continue;
    }
    const heading = HEADING.exec(line)?.[1];
    const item = ITEM.exec(line);
    if (line.trim() === '') {
      closeBlock(indent);
    } else if (TRACE.test(line) || DIFF.test(line)) {
      closeBlock(indent);
      quoted.push(line);
    } else if (heading !== undefined) {
      closeBlock(indent);
      lead = undefined;
      section = cueOfHeading(heading);
      start(heading, section);
      closeBlock(-1);
    } else if (item) {
      closeBlock(indent);
      indent = item[1]?.length ?? 0;
      if (lead && indent <= lead.indent) lead = undefined;
      if (lead) lead.items += 1;
      start(item[2] ?? '', lead?.cue ?? section);
    } else if (open) {
      (open as ProseBlock).text += ` ${line.trim()}`;
    } else {
      indent = -1;
      if (lead && (lead.items > 0 || lead.indent >= 0)) lead = undefined;
      start(line.replace(/^\s*>+\s?/, '').trim(), lead?.cue ?? section);
      if (lead) lead.items += 1;
    }
  }
  return { blocks, quoted };
}
