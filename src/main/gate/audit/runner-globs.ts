/** Globs as test runners and linters read them: braces, character classes and `?(a|b)`, `+(…)`, `*(…)`, `@(…)`, `!(…)`. */

const EXT: Readonly<Record<string, string>> = { '?': ')?', '+': ')+', '*': ')*', '@': ')', '!': ')' };

const cache = new Map<string, RegExp>();

/** The whole path must match; `*` matches no slash, dot files match. An unreadable pattern matches nothing. */
export function runnerGlob(glob: string): RegExp {
  let found = cache.get(glob);
  if (!found) {
    try {
      found = new RegExp(`^${source(glob.replace(/^\.\//, ''))}$`);
    } catch {
      found = /(?!)/;
    }
    cache.set(glob, found);
  }
  return found;
}

function source(glob: string): string {
  let text = '';
  const groups: string[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at] ?? '';
    const next = glob[at + 1];
    if (next === '(' && char in EXT) {
      groups.push(char);
      text += char === '!' ? '(?!' : '(?:';
      at += 1;
    } else if (char === ')' && groups.length > 0) {
      const kind = groups.pop() ?? '@';
      text += kind === '!' ? '(?:$|[/.]))[^/]*?' : (EXT[kind] ?? ')');
    } else if (char === '|' && groups.length > 0) text += '|';
    else if (glob.startsWith('**/', at)) {
      text += '(?:[^/]+/)*';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      text += '.*';
      at += 1;
    } else if (char === '*') text += '[^/]*';
    else if (char === '?') text += '[^/]';
    else if (char === '{' && glob.indexOf('}', at) > 0) {
      groups.push('{');
      text += '(?:';
    } else if (char === '}' && groups.at(-1) === '{') {
      groups.pop();
      text += ')';
    } else if (char === ',' && groups.includes('{')) text += '|';
    else if (char === '[' && glob.indexOf(']', at) > 0) {
      const end = glob.indexOf(']', at);
      text += `[${glob.slice(at + 1, end).replace(/^!/, '^')}]`;
      at = end;
    } else if (char === '\\' && next !== undefined) {
      text += next.replace(/[.+^${}()|[\]\\*?]/g, '\\$&');
      at += 1;
    } else text += char.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  }
  return text;
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
