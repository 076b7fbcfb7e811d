import { HeadwayError } from '../../shared/errors.ts';

/*
 * What survives a reset although git does not track it. Not in the list: `*.tsbuildinfo`. The compiler believes it and
 * writes no output that the reset removed, so a warm slot would lack what a fresh one has. A policy may still name it.
 */
const DEFAULT_CACHES: readonly string[] = ['.next/cache', '.eslintcache'];

/** Installed packages: kept only while a recorded install vouches for them. */
const INSTALL_DIRECTORIES: readonly string[] = ['node_modules', '.yarn/cache', '.yarn/unplugged'];
const INSTALL_FILES: readonly string[] = ['.pnp.cjs', '.pnp.loader.mjs', '.yarn/install-state.gz'];

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
 * Throws `bad-input` for a pattern that leaves the repository or keeps everything.
 */
export function keepRule(caches: readonly string[], installed: boolean): KeepRule {
  const patterns = [
    ...DEFAULT_CACHES,
    ...caches,
    ...(installed ? [...INSTALL_DIRECTORIES, ...INSTALL_FILES] : []),
  ].map(compile);
  return (path, kind) => {
    if (kind === 'other') return 'remove';
    const parts = path.split('/');
    let best: Keep = 'remove';
    for (const pattern of patterns) {
      const found = judge(pattern, parts);
      if (found === 'keep') return 'keep';
      if (found === 'descend' && kind === 'directory') best = 'descend';
    }
    return best;
  };
}
