/**
 * `**` crosses directories, `*` and `?` do not; `{a,b}` is a choice. A pattern without a slash matches at any depth, unless
 * it is meant `fromTop`.
 */
export function globToRegExp(glob: string, fromTop = false): RegExp {
  const clean = glob.replace(/^\.?\//, '').replace(/\/$/, '/**');
  // One says as much as several in a row, which would be tried in every combination.
  const anchored = (fromTop || clean.includes('/') ? clean : `**/${clean}`).replace(/(?:\*\*\/){2,}/g, '**/');
  let source = '';
  let choices = 0;
  for (let index = 0; index < anchored.length; index += 1) {
    const char = anchored[index] ?? '';
    if (anchored.startsWith('**/', index)) {
      source += '(?:[^/]*/)*';
      index += 2;
    } else if (anchored.startsWith('**', index)) {
      source += '.*';
      index += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{' && anchored.includes('}', index)) {
      source += '(?:';
      choices += 1;
    } else if (char === '}' && choices > 0) {
      source += ')';
      choices -= 1;
    } else if (char === ',' && choices > 0) source += '|';
    else source += char.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  }
  // A directory stands for all that is in it.
  return new RegExp(`^${source}${')'.repeat(choices)}(?:/.*)?$`, 'i');
}

export const matchesAny = (path: string, globs: readonly string[]): boolean =>
  globs.some((glob) => globToRegExp(glob).test(path));

/** Whether a path is one of those that a step says it reads or writes: globs from the top of the repository. */
export function declaredPaths(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => globToRegExp(glob, true));
  return (path) => patterns.some((pattern) => pattern.test(path));
}
