import { HeadwayError } from '../../../shared/errors.ts';

/*
 * What survives a reset although git does not track it: what an install put there, and the caches that a policy names. There
 * are no caches by default, since whatever believes one (a linter, a bundler) believes what the job before wrote into it.
 */

/** Where managers put packages. */
const INSTALL_PLACES: readonly string[] = [
  'node_modules',
  '.yarn/cache',
  '.yarn/unplugged',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.yarn/install-state.gz',
];

export type Keep = 'keep' | 'descend' | 'remove';
export type KeepRule = (path: string, kind: 'file' | 'directory' | 'other') => Keep;

type Pattern = { anchored: boolean; segments: RegExp[] };

function compileSegment(text: string): RegExp {
  const escaped = text.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`^${escaped}$`, 'u');
}

function compile(pattern: string): Pattern {
  const anchored = pattern.startsWith('/');
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  const refused =
    parts.length === 0 ||
    parts.some((part) => part === '..' || part.toLowerCase() === '.git') ||
    /^\*+$/.test(parts[0] ?? '') ||
    pattern.includes('\0') ||
    pattern.includes('\\');
  if (refused) {
    throw new HeadwayError(
      'bad-input',
      `caches: ${JSON.stringify(pattern)} can't be kept between jobs; name a file or directory inside the repository, such as ".next/cache"`,
    );
  }
  return { anchored, segments: parts.map(compileSegment) };
}

function judge(pattern: Pattern, parts: readonly string[]): Keep {
  const whole = pattern.segments.length;
  const starts = pattern.anchored ? [0] : parts.map((_, index) => index);
  let best: Keep = 'remove';
  for (const start of starts) {
    const rest = parts.slice(start);
    const compared = rest.slice(0, whole);
    if (!compared.every((part, index) => pattern.segments[index]?.test(part))) continue;
    // What lies inside a kept directory is kept with it.
    if (rest.length >= whole) return 'keep';
    best = 'descend';
  }
  return best;
}

/**
 * Compiles cache patterns: `/`-separated, `*` inside a name, at any depth unless they begin with a slash. Only real
 * files and directories are kept: a link is removed whatever its name, since it may lead out of the slot.
 * `installed`: the very places of an install that vouches for them. Throws `bad-input` for a pattern that leaves the
 * repository or keeps everything.
 */
export function keepRule(caches: readonly string[], installed: readonly string[]): KeepRule {
  const patterns = caches.map(compile);
  return (path, kind) => {
    if (kind === 'other') return 'remove';
    const parts = path.split('/');
    let best: Keep = 'remove';
    for (const pattern of patterns) {
      const found = judge(pattern, parts);
      if (found === 'keep') return 'keep';
      if (found === 'descend' && kind === 'directory') best = 'descend';
    }
    for (const place of installed) {
      if (path === place || path.startsWith(`${place}/`)) return 'keep';
      if (kind === 'directory' && place.startsWith(`${path}/`)) best = 'descend';
    }
    return best;
  };
}

/** Right after an install: caches, and packages wherever a manager has put them. */
export const installRule = (caches: readonly string[]): KeepRule =>
  keepRule([...caches, ...INSTALL_PLACES], []);
