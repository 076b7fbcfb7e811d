export type Language = 'yaml' | 'toml';

/** A ticket as it stands in its file; lines count from 1. */
export type RawTicket = {
  /** YAML between `---` lines, or TOML between `+++` lines; undefined where there is none. */
  frontMatter: string | undefined;
  language: Language;
  /** Line of the first line of it, or of the text where there is no front matter. */
  frontMatterLine: number;
  text: string;
  /** Line of the first line of `text`, blank lines before it left out. */
  textLine: number;
  /** Line at which the ticket begins. */
  line: number;
};

export type Split = { tickets: RawTicket[]; problems: { line: number; message: string }[] };

/** What opens and closes a front matter, and how its lines look. */
const FORMS: Record<Language, { rule: RegExp; first: RegExp; further: RegExp; naming: RegExp }> = {
  yaml: {
    rule: /^---[ \t]*$/,
    first: /^[\w"'-]+\s*:|^#/,
    further: /^(?:[\w"'-]+\s*:|[\s#-]|$)/,
    naming: /^["']?(?:id|title)["']?\s*:/,
  },
  toml: {
    rule: /^\+\+\+[ \t]*$/,
    first: /^[\w"'-]+\s*=|^#/,
    further: /^(?:[\w"'.-]+\s*=|[\s#[\]"'},]|$)/,
    naming: /^["']?(?:id|title)["']?\s*=/,
  },
};

/** The language of the front matter that a line may open; undefined: it opens none. */
function languageOf(line: string | undefined): Language | undefined {
  if (line === undefined) return undefined;
  return FORMS.yaml.rule.test(line) ? 'yaml' : FORMS.toml.rule.test(line) ? 'toml' : undefined;
}

/**
 * The line that closes a front matter which opens at `at`, if one does that can begin a ticket in the midst of a file: a
 * mapping right behind the opening line that has an id or a title. A `---` in a text is a rule, not a ticket.
 */
function closeOfTicket(lines: readonly string[], at: number, language: Language): number | undefined {
  const { rule, first, further, naming } = FORMS[language];
  let named = false;
  for (let i = at + 1; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    if (rule.test(line)) return named ? i : undefined;
    if (!(i === at + 1 ? first : further).test(line)) return undefined;
    if (naming.test(line)) named = true;
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
    matter: undefined as { from: number; to: number; language: Language } | undefined,
  };
  let fence: string | undefined;
  let i = firstLine;
  const close = (to: number): void => {
    const { from, matter } = open;
    let { textFrom } = open;
    while (textFrom < to && lines[textFrom]?.trim() === '') textFrom += 1;
    tickets.push({
      frontMatter: matter && lines.slice(matter.from, matter.to).join('\n'),
      language: matter?.language ?? 'yaml',
      frontMatterLine: (matter?.from ?? textFrom) + 1,
      text: lines.slice(textFrom, to).join('\n').trimEnd(),
      textLine: textFrom + 1,
      line: from + 1,
    });
  };
  const begin = (from: number, closing: number, language: Language): void => {
    open = { from, textFrom: closing + 1, matter: { from: from + 1, to: closing, language } };
    fence = undefined;
    i = closing + 1;
  };

  const first = languageOf(lines[firstLine]);
  if (first !== undefined) {
    const closing = lines.findIndex((line, at) => at > firstLine && FORMS[first].rule.test(line));
    if (closing < 0) {
      const rule = first === 'yaml' ? 'three dashes (---)' : 'three plus signs (+++)';
      const message = `the front matter has no end: close it with a line of ${rule}`;
      return { tickets, problems: [{ line: firstLine + 1, message }] };
    }
    begin(firstLine, closing, first);
  }
  while (i < lines.length) {
    const line = lines[i] ?? '';
    const marker = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== undefined) {
      if (marker?.[1]?.startsWith(fence) && marker[2]?.trim() === '') fence = undefined;
    } else if (marker) {
      fence = marker[1];
    } else {
      const language = languageOf(line);
      const closing = language && closeOfTicket(lines, i, language);
      if (language !== undefined && closing !== undefined) {
        if (open.matter) close(i);
        else {
          const message = 'text before the first ticket: give it front matter, or remove it';
          problems.push({ line: open.from + 1, message });
        }
        begin(i, closing, language);
        continue;
      }
    }
    i += 1;
  }
  close(lines.length);
  return { tickets, problems };
}
