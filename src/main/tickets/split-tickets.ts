/** A ticket as it stands in its file; lines count from 1. */
export type RawTicket = {
  /** YAML between the `---` lines; undefined where there is none. */
  frontMatter: string | undefined;
  /** Line of the first YAML line, or of the text where there is no front matter. */
  frontMatterLine: number;
  text: string;
  /** Line of the first line of `text`, blank lines before it left out. */
  textLine: number;
  /** Line at which the ticket begins. */
  line: number;
};

export type Split = { tickets: RawTicket[]; problems: { line: number; message: string }[] };

const isRule = (line: string | undefined): boolean => line !== undefined && /^---[ \t]*$/.test(line);

/**
 * The line that closes a front matter which opens at `at`, if one does that can begin a ticket in the midst of a file: a
 * mapping right behind the opening line that has an id or a title. A `---` in a text is a rule, not a ticket.
 */
function closeOfTicket(lines: readonly string[], at: number): number | undefined {
  let named = false;
  for (let i = at + 1; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    if (isRule(line)) return named ? i : undefined;
    const isFirst = i === at + 1;
    const isYaml = isFirst ? /^[\w"'-]+\s*:|^#/.test(line) : /^(?:[\w"'-]+\s*:|[\s#-]|$)/.test(line);
    if (!isYaml) return undefined;
    if (/^["']?(?:id|title)["']?\s*:/.test(line)) named = true;
  }
  return undefined;
}

/** Takes a file apart into its tickets. */
export function splitTickets(content: string): Split {
  const lines = content.split(/\r\n|\n|\r/);
  const tickets: RawTicket[] = [];
  const problems: Split['problems'] = [];
  const firstLine = lines.findIndex((line) => line.trim() !== '');
  if (firstLine < 0) return { tickets, problems: [{ line: 1, message: 'the file is empty' }] };

  let open = {
    from: firstLine,
    textFrom: firstLine,
    yaml: undefined as { from: number; to: number } | undefined,
  };
  let fence: string | undefined;
  let i = firstLine;
  const close = (to: number): void => {
    const { from, yaml } = open;
    let { textFrom } = open;
    while (textFrom < to && lines[textFrom]?.trim() === '') textFrom += 1;
    tickets.push({
      frontMatter: yaml && lines.slice(yaml.from, yaml.to).join('\n'),
      frontMatterLine: (yaml?.from ?? textFrom) + 1,
      text: lines.slice(textFrom, to).join('\n').trimEnd(),
      textLine: textFrom + 1,
      line: from + 1,
    });
  };
  const begin = (from: number, closing: number): void => {
    open = { from, textFrom: closing + 1, yaml: { from: from + 1, to: closing } };
    fence = undefined;
    i = closing + 1;
  };

  if (isRule(lines[firstLine])) {
    const closing = lines.findIndex((line, at) => at > firstLine && isRule(line));
    if (closing < 0) {
      const message = 'the front matter has no end: close it with a line of three dashes (---)';
      return { tickets, problems: [{ line: firstLine + 1, message }] };
    }
    begin(firstLine, closing);
  }
  while (i < lines.length) {
    const line = lines[i] ?? '';
    const marker = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== undefined) {
      if (marker?.[1]?.startsWith(fence) && marker[2]?.trim() === '') fence = undefined;
    } else if (marker) {
      fence = marker[1];
    } else if (isRule(line)) {
      const closing = closeOfTicket(lines, i);
      if (closing !== undefined) {
        if (open.yaml) close(i);
        else {
          const message = 'text before the first ticket: give it front matter, or remove it';
          problems.push({ line: open.from + 1, message });
        }
        begin(i, closing);
        continue;
      }
    }
    i += 1;
  }
  close(lines.length);
  return { tickets, problems };
}
