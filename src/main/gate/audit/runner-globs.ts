import picomatch from 'picomatch';

/** Globs as test runners and linters read them: braces, character classes and `?(a|b)`, `+(…)`, `*(…)`, `@(…)`, `!(…)`. */

const OPTIONS = { dot: true, nonegate: true, windows: false } as const;

const cache = new Map<string, RegExp>();

/** The whole path must match; `*` matches no slash, dot files match. An unreadable pattern matches nothing. */
export function runnerGlob(glob: string): RegExp {
  let found = cache.get(glob);
  if (!found) {
    try {
      found = picomatch.makeRe(glob.replace(/^\.\//, ''), OPTIONS);
    } catch {
      found = /(?!)/;
    }
    cache.set(glob, found);
  }
  return found;
}

/** A list in which `!pattern` takes away again. */
export function matchesGlobs(path: string, globs: readonly string[]): boolean {
  let matched = false;
  for (const glob of globs) {
    if (glob.startsWith('!')) {
      if (matched && runnerGlob(glob.slice(1)).test(path)) matched = false;
    } else if (!matched && runnerGlob(glob).test(path)) matched = true;
  }
  return matched;
}

/** As an ignore list reads it: a directory stands for all that is in it, a pattern without a slash for any depth. */
export function matchesIgnore(path: string, patterns: readonly string[]): string | undefined {
  let matched: string | undefined;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    const body = (negated ? pattern.slice(1) : pattern).replace(/^\//, '').replace(/\/$/, '');
    if (body === '') continue;
    const anchored = body.includes('/') || pattern.startsWith('/') ? body : `**/${body}`;
    if (runnerGlob(anchored).test(path) || runnerGlob(`${anchored}/**`).test(path)) {
      matched = negated ? undefined : pattern;
    }
  }
  return matched;
}
