import { type PathContext, readPath } from '../paths/paths.ts';

/** What a piece of text that looks like a path turns out to be; undefined: nothing that matters. */
export type Mention = { kind: 'path'; path: string } | { kind: 'doubt'; why: string } | undefined;

/** `code`: between backticks or a link's target, so it is meant literally. */
export type MentionStyle = 'code' | 'plain';

/** The repository's paths must be known to tell paths from prose. */
export type ProseContext = PathContext & Required<Pick<PathContext, 'tracked'>>;

const LOCATION = /(?::\d+(?::\d+)?(?:-\d+)?|#[\w-]*|\(\d+(?:,\d+)?\)|['’]s)$/;
const EXTENSION = /[^/]\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const SOURCE_EXTENSION =
  /[^/]\.(?:[cm]?[jt]sx?|vue|svelte|astro|json[c5]?|ya?ml|toml|mdx?|css|s[ac]ss|less|html?|py|rb|rs|go|java|kt|swift|php|cs|cpp|cc|[ch]|hpp|sh|sql|txt|xml|svg|graphql|proto|lock|env|ini|cfg)$/i;
const PRODUCT = /^[A-Z]\w*\.(?:js|io|ai|net|com|py|rs)$/;
const BARE_NAMES =
  /^(?:Dockerfile|Makefile|Jenkinsfile|Procfile|Gemfile|Rakefile|LICENSE|CODEOWNERS|justfile)$/;
const MEDIA_TYPE = /^(?:application|text|image|audio|video|font|multipart|model|message)\/[\w.+*-]+$/;
const FILE_SYSTEM_TOP =
  /^\/(?:etc|usr|var|tmp|home|opt|bin|sbin|dev|proc|sys|mnt|media|root|lib|srv|run|Users|Volumes|Applications|Library|private)(?:\/|$)/;
const CLOSERS: Record<string, string> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
  '"': '"',
  "'": "'",
  '`': '`',
};

function isTracked(text: string, { tracked }: ProseContext): boolean {
  return tracked.has(
    text
      .replaceAll('\\', '/')
      .replace(/^(?:\.\/)+/, '')
      .replace(/\/+$/, ''),
  );
}

const count = (text: string, char: string): number => text.split(char).length - 1;

/** Takes off quotes, brackets, punctuation and line numbers, but nothing that belongs to a path of the repository. */
export function cleanMention(raw: string, style: MentionStyle, context: ProseContext): string {
  let text = raw.trim();
  for (;;) {
    if (text === '' || isTracked(text, context)) return text;
    const before = text;
    const first = text[0] ?? '';
    const last = text.at(-1) ?? '';
    if (LOCATION.test(text)) text = text.replace(LOCATION, '');
    else if (text.length > 1 && CLOSERS[first] === last) text = text.slice(1, -1);
    else if (/[,;:!?'"`>|]/.test(last)) text = text.slice(0, -1);
    else if (last === '.' && !/^[./\\]*$/.test(text)) text = text.slice(0, -1);
    else if (style === 'plain' && /[*_]/.test(last) && !/[\\/]\*+$/.test(text)) text = text.slice(0, -1);
    else if (/[)\]}]/.test(last)) {
      const opener = last === ')' ? '(' : last === ']' ? '[' : '{';
      if (count(text, opener) < count(text, last)) text = text.slice(0, -1);
    } else if (/['"`<|]/.test(first)) text = text.slice(1);
    else if (style === 'plain' && /[*_]/.test(first) && !text.startsWith('*.') && !/^\*+[\\/]/.test(text)) {
      text = text.slice(1);
    }
    if (text === before && /[([{]/.test(first) && count(text, first) > count(text, CLOSERS[first] ?? '')) {
      text = text.slice(1);
    }
    if (text === before) return text;
  }
}

const doubt = (text: string, what: string): Mention => ({ kind: 'doubt', why: `"${text}" ${what}` });

/** Judges one cleaned piece of text. */
export function readMention(text: string, style: MentionStyle, context: ProseContext): Mention {
  const isCode = style === 'code';
  if (text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const slashed = text.replaceAll('\\', '/');
  const hasSlash = slashed.includes('/');
  if (/^[@~#]\//.test(slashed)) return doubt(text, 'is an import alias, not a path');
  if (!isTracked(text, context)) {
    if (/^@[\w.-]+\//.test(slashed) || MEDIA_TYPE.test(slashed)) return undefined;
    if (!isCode && /^[*]\.\w+$/.test(text)) return doubt(text, 'may match anything');
  }
  const reading = readPath(text, context);
  if (reading.kind === 'outside') return outside(text, slashed, context);
  if (reading.kind === 'everything') {
    return isCode || (hasSlash && /[\w]/.test(text)) ? { kind: 'doubt', why: reading.why } : undefined;
  }
  if (reading.kind === 'unclear') return isCode && hasSlash ? { kind: 'doubt', why: reading.why } : undefined;
  const { path } = reading;
  if (context.tracked.has(path)) {
    const isPlainlyPath =
      isCode || hasSlash || EXTENSION.test(path) || path.startsWith('.') || BARE_NAMES.test(path);
    return isPlainlyPath ? { kind: 'path', path } : undefined;
  }
  return untracked(text, path, style, context);
}

function outside(text: string, slashed: string, context: ProseContext): Mention {
  if (/^\//.test(slashed)) {
    const isRoute =
      !FILE_SYSTEM_TOP.test(slashed) && !EXTENSION.test(slashed) && !isTracked(slashed.slice(1), context);
    return isRoute ? undefined : doubt(text, 'is no path of the repository');
  }
  return /[\w]/.test(slashed) ? doubt(text, 'leaves the repository') : undefined;
}

/** A path that is not there: a new file that is plainly named, or something that nobody can be sure of. */
function untracked(text: string, path: string, style: MentionStyle, context: ProseContext): Mention {
  const isCode = style === 'code';
  const segments = path.split('/');
  const parent = segments.slice(0, -1).join('/');
  const looksLikeSource = SOURCE_EXTENSION.test(path);
  if (segments.length === 1) {
    const isRelative = /^\.{1,2}[\\/]/.test(text);
    const isFile = (looksLikeSource && !PRODUCT.test(path)) || isRelative || (isCode && /[\\/]$/.test(text));
    return isFile ? doubt(text, 'is not at the top of the repository') : undefined;
  }
  if (context.tracked.has(segments[0] ?? '')) {
    const isNewFile = EXTENSION.test(path) && (isCode || context.tracked.has(parent));
    const isNewDirectory = isCode && /[\\/]$/.test(text) && context.tracked.has(parent);
    return isNewFile || isNewDirectory ? { kind: 'path', path } : doubt(text, 'is not in the repository');
  }
  return isCode || looksLikeSource || /^\./.test(text) ? doubt(text, 'is not in the repository') : undefined;
}
