/**
 * One path, read once. Whatever a ticket, a text or git calls a file becomes a path relative to the repository, or the
 * plain statement that it is none. Doubt is a result here, not an error: whoever asks decides what doubt costs.
 */

/** Files and directories that the repository has, relative, with `/` and no slash at the end. */
export type TrackedPaths = { has(path: string): boolean };

export type PathContext = {
  /** Absolute path of the top of the work tree. */
  root: string;
  /** Without it, brackets are judged by their looks alone. */
  tracked?: TrackedPaths;
};

export type PathReading =
  | { kind: 'path'; path: string }
  /** The whole repository: its top, or a pattern without a fixed prefix. */
  | { kind: 'everything'; why: string }
  | { kind: 'outside'; why: string }
  | { kind: 'unclear'; why: string };

/** Zero-width and direction marks: they come with a paste and nobody sees them. */
const INVISIBLE = /\u00ad|[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;
const CONTROL = /[\u0000-\u001f\u007f]/;
const ASCII = /^[\u0020-\u007e]*$/;
/** `[slug]`, `[...rest]`, `[[lang]]`, `[id=int]`, with or without an extension: a route's name, not a character class such as `[a-z]`. */
const ROUTE_BRACKETS = /\[{1,2}(?:\.\.\.)?(?!(?:\w-\w)+\w*\])[A-Za-z_][\w-]*(?:=\w+)?\]{1,2}/g;
/** What Windows makes of long names; which file it is can't be known here. */
const SHORT_NAME = /^[^.]{1,6}~\d(?:\.[^.]{0,3})?$/;

export function stripInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * The form in which two spellings of one segment are equal on some file system: case folded, NFC, no dots or spaces at
 * the end (NTFS), nothing behind a colon (NTFS streams). Lower first: the Kelvin sign has no capital of its own.
 */
function segmentKey(segment: string): string {
  let key = ASCII.test(segment)
    ? segment.toUpperCase()
    : stripInvisible(segment).normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
  const colon = key.indexOf(':');
  if (colon > 0) key = key.slice(0, colon);
  const trimmed = key.replace(/[. ]+$/, '');
  return trimmed === '' ? key : trimmed;
}

/** The segments of a path as they are compared; never shown. */
export function pathKeys(path: string): string[] {
  return path.split('/').map(segmentKey);
}

/**
 * `button` may be the module `button.tsx`, and `users.service` the module `users.service.ts`: two last segments count
 * as the same when one is the other with something behind a dot.
 */
function sameModule(a: string, b: string): boolean {
  return a.length < b.length ? b.startsWith(`${a}.`) : a.startsWith(`${b}.`);
}

/** True when one path equals, contains or may be the same module as the other. */
export function keysOverlap(a: readonly string[], b: readonly string[]): boolean {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared - 1; i += 1) if (a[i] !== b[i]) return false;
  const lastA = a[shared - 1] ?? '';
  const lastB = b[shared - 1] ?? '';
  return lastA === lastB || (a.length === b.length && sameModule(lastA, lastB));
}

/** True when `outer` equals or contains `inner`, or is its spelling without the extension. */
export function keysContain(outer: readonly string[], inner: readonly string[]): boolean {
  if (outer.length > inner.length) return false;
  const last = outer.length - 1;
  for (let i = 0; i < last; i += 1) if (outer[i] !== inner[i]) return false;
  const outerLast = outer[last] ?? '';
  const innerLast = inner[last] ?? '';
  return outerLast === innerLast || (outer.length === inner.length && innerLast.startsWith(`${outerLast}.`));
}

function isPattern(segment: string): boolean {
  if (/[*?{}]/.test(segment) || /[@!+]\(/.test(segment)) return true;
  return /[[\]]/.test(segment.replace(ROUTE_BRACKETS, ''));
}

/** A backslash before a wildcard in a path that has slashes too may be an escape or a separator: cut before it. */
function cutAmbiguousEscape(text: string): { text: string; cut: boolean } {
  const at = text.includes('/') ? text.search(/\\[[\](){}*?!]/) : -1;
  if (at < 0) return { text, cut: false };
  return { text: text.slice(0, text.slice(0, at).lastIndexOf('/') + 1), cut: true };
}

function unclear(raw: string, what: string): PathReading {
  return { kind: 'unclear', why: `"${raw}" ${what}` };
}

function outside(raw: string, what: string): PathReading {
  return { kind: 'outside', why: `"${raw}" ${what}` };
}

function refuse(raw: string, segments: readonly string[]): PathReading | undefined {
  const first = segments[0] ?? '';
  if (first.startsWith('~')) return outside(raw, 'starts in a home directory');
  if (/^\$\{?[A-Z_][A-Z0-9_]*\}?$/.test(first) || /^%\w+%$/.test(first))
    return outside(raw, 'starts with a variable');
  for (const segment of segments) {
    if (/^[. ]+$/.test(segment) && segment !== '.' && segment !== '..') {
      return unclear(raw, `has a segment of dots or spaces`);
    }
    if (SHORT_NAME.test(segment)) return unclear(raw, 'is a short name whose file is not known');
  }
  return undefined;
}

/** `/a/b` and `C:/a/b` as segments below the file system's top; dots resolved. Undefined: above the top. */
function resolveSegments(base: readonly string[], segments: readonly string[]): string[] | undefined {
  const resolved = [...base];
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') resolved.push(segment);
    else if (resolved.pop() === undefined) return undefined;
  }
  return resolved;
}

/**
 * Reads one path. Patterns are cut to the prefix that is fixed. With `literal` (names that git reported) nothing in it
 * is a pattern.
 */
export function readPath(raw: string, context: PathContext, literal = false): PathReading {
  const visible = stripInvisible(raw).normalize('NFC');
  const trimmed = literal ? visible : visible.trim();
  if (trimmed === '') return unclear(raw, 'is an empty path');
  if (!literal && CONTROL.test(trimmed)) return unclear(raw, 'has control characters');
  if (!literal && /^[a-z][a-z0-9+.-]+:\/\//i.test(trimmed)) return outside(raw, 'is an address, not a path');

  const whole = trimmed.replaceAll('\\', '/');
  const known = literal || context.tracked?.has(whole.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')) === true;
  const escaped = known ? { text: trimmed, cut: false } : cutAmbiguousEscape(trimmed);
  const slashed = escaped.text.replaceAll('\\', '/');
  const absolute = /^(?:[A-Za-z]:)?\//.test(slashed);
  if (!absolute && /^[A-Za-z]:/.test(slashed) && !known) return outside(raw, 'is relative to a drive');
  if (/^\/+$/.test(slashed)) return { kind: 'everything', why: `"${raw}" is the whole repository` };

  const segments = slashed.split('/');
  const refused = known
    ? undefined
    : refuse(
        raw,
        segments.filter((segment) => segment !== ''),
      );
  if (refused) return refused;
  const patternAt = known ? -1 : segments.findIndex(isPattern);
  const fixed = patternAt < 0 ? segments : segments.slice(0, patternAt);
  const cut = patternAt >= 0 || escaped.cut;
  if (patternAt >= 0 && segments.slice(patternAt).includes('..')) {
    return { kind: 'everything', why: `"${raw}" climbs up behind a wildcard` };
  }

  const rootSegments = context.root.replaceAll('\\', '/').split('/').filter(Boolean);
  const resolved = resolveSegments(absolute ? [] : rootSegments, fixed);
  const inside =
    resolved !== undefined &&
    resolved.length >= rootSegments.length &&
    rootSegments.every((segment, i) => segmentKey(segment) === segmentKey(resolved[i] ?? ''));
  if (!inside) return outside(raw, 'leaves the repository');
  const relative = resolved.slice(rootSegments.length);
  if (relative.length === 0) {
    return {
      kind: 'everything',
      why: cut ? `"${raw}" may match anything` : `"${raw}" is the whole repository`,
    };
  }
  if (relative.some((segment) => segmentKey(segment) === '.GIT'))
    return unclear(raw, "is in git's own directory");
  return { kind: 'path', path: relative.join('/') };
}
