import picomatch from 'picomatch';

export type PathMatch = (path: string) => boolean;

/** Names that differ in case alone are one file on some platforms. Dots are names as others; `!` has no meaning of its own. */
const OPTIONS = { dot: true, nocase: true, nonegate: true, windows: false } as const;

/**
 * What a policy names: a path, a directory, which stands for all that is in it, or a glob with `*`, `**`, `?`, `[abc]`, `{a,b}` and
 * `?(a|b)`. A pattern without a slash matches at any depth, unless it is meant `fromTop`. Names with brackets, such as
 * `[id].tsx`, are names as well: rather once too often than once too seldom.
 */
export function globMatch(glob: string, fromTop = false): PathMatch {
  const clean = glob.replace(/^\.?\//, '').replace(/\/$/, '/**');
  // One says as much as several in a row, which would be tried in every combination.
  const anchored = (fromTop || clean.includes('/') ? clean : `**/${clean}`).replace(/(?:\*\*\/){2,}/g, '**/');
  const name = anchored.replace(/\/\*\*$/, '').toLowerCase();
  const matches = picomatch(
    [...variants(anchored), ...variants(anchored).map((one) => `${one}/**`)],
    OPTIONS,
  );
  const isNamed: PathMatch = name.startsWith('**/')
    ? (path) => `/${path.toLowerCase()}/`.includes(`/${name.slice('**/'.length)}/`)
    : (path) => `${path.toLowerCase()}/`.startsWith(`${name}/`);
  return (path) => matches(path) || isNamed(path);
}

/** `a/**.ts` means files at any depth to a person, though a shell crosses directories only where `**` stands alone. */
function variants(glob: string): string[] {
  const crossing = glob.replace(/\*\*(?=[^/*])/g, '**/*').replace(/(?<=[^/*])\*\*/g, '*/**');
  return crossing === glob ? [glob] : [glob, crossing];
}

export const matchesAny = (path: string, globs: readonly string[]): boolean =>
  globs.some((glob) => globMatch(glob)(path));

/** Whether a path is one of those that a step says it reads or writes: globs from the top of the repository. */
export function declaredPaths(globs: readonly string[]): PathMatch {
  const patterns = globs.map((glob) => globMatch(glob, true));
  return (path) => patterns.some((matches) => matches(path));
}

/** Why a pattern is none; undefined where it is one. */
export function globProblem(glob: string): string | undefined {
  if (/^!(?!\()/.test(glob))
    return 'must not begin with "!": nothing is taken away again, so name what is meant';
  const open = unbalanced(glob);
  return open === undefined ? undefined : `has "${open}" without its other half`;
}

const CLOSES: Readonly<Record<string, string>> = { '{': '}', '(': ')' };

/** A brace or a group that is not closed matches nothing but its own text, which nobody means. */
function unbalanced(glob: string): string | undefined {
  const open: string[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at] ?? '';
    if (char === '\\') at += 1;
    else if (char === '{' || (char === '(' && /[?*+@!]/.test(glob[at - 1] ?? ''))) open.push(char);
    else if (char === CLOSES[open.at(-1) ?? '']) open.pop();
  }
  return open.at(-1);
}
