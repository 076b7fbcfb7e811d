import type { Claim } from '../../shared/domain.ts';
import { keysContain, keysOverlap, type PathContext, pathKeys, readPath } from '../paths/paths.ts';
import { DEFAULT_HUBS, hubOf } from './hubs.ts';
import type { LinkedNames } from './linked-names.ts';

export type ClaimContext = PathContext & {
  /** Patterns of hub files; a policy's list replaces the default one. */
  hubs?: readonly string[];
  /** Where links of the base lead; names that git reported are real ones already. */
  names?: LinkedNames;
  from: 'declared' | 'text' | 'changed';
};

/**
 * What a job may touch, from the paths that its ticket declares or its text names, or from the files that it really
 * changed, each by all the names that it has. A path that leaves the repository, can't be understood or is a hub makes it everything; so do no paths.
 */
export function toClaim(paths: readonly string[], context: ClaimContext): Claim {
  const claimed = new Map<string, string>();
  const literal = context.from === 'changed';
  let exceptions = 0;
  for (const raw of paths) {
    // An exception never shrinks a claim; a file that really is called so counts.
    if (!literal && raw.trim().startsWith('!') && !context.tracked?.has(raw.trim())) {
      exceptions += 1;
      continue;
    }
    const reading = readPath(raw, context, literal);
    if (reading.kind !== 'path') return { kind: 'everything', why: reading.why };
    const names = context.names?.namesOf(reading.path) ?? { kind: 'paths', paths: [reading.path] };
    if (names.kind === 'everything') return names;
    for (const path of names.paths) {
      const hub = hubOf(path, context.hubs ?? DEFAULT_HUBS);
      if (hub !== undefined) {
        const through = path === reading.path ? '' : `${reading.path} leads to `;
        return { kind: 'everything', why: `${through}${path}${through ? ',' : ' is'} a hub file (${hub})` };
      }
      const key = pathKeys(path).join('/');
      if (!claimed.has(key)) claimed.set(key, path);
    }
  }
  if (claimed.size === 0) {
    return { kind: 'everything', why: exceptions > 0 ? 'it names exceptions only' : 'it names no paths' };
  }
  return { kind: 'paths', paths: [...claimed.values()], from: context.from };
}

/** The first pair of paths that overlap; `.` stands for the whole repository. The claims are of one repository. */
export function claimsOverlap(mine: Claim, theirs: Claim): { path: string; theirPath: string } | undefined {
  if (mine.kind === 'everything' || theirs.kind === 'everything') {
    return {
      path: mine.kind === 'everything' ? '.' : (mine.paths[0] ?? '.'),
      theirPath: theirs.kind === 'everything' ? '.' : (theirs.paths[0] ?? '.'),
    };
  }
  const theirKeys = theirs.paths.map(pathKeys);
  for (const path of mine.paths) {
    const keys = pathKeys(path);
    const at = theirKeys.findIndex((other) => keysOverlap(keys, other));
    if (at >= 0) return { path, theirPath: theirs.paths[at] ?? '.' };
  }
  return undefined;
}

/** The same claim by all names that its paths have on another commit. */
export function renamed(claim: Claim, names: LinkedNames): Claim {
  if (claim.kind === 'everything') return claim;
  const paths = new Set(claim.paths);
  for (const path of claim.paths) {
    const found = names.namesOf(path);
    if (found.kind === 'everything') return found;
    for (const name of found.paths) paths.add(name);
  }
  return { ...claim, paths: [...paths] };
}

/** Whether a file that git reported lies in what was claimed; a job strays with the files where it does not. */
export function isWithinClaim(file: string, claim: Claim): boolean {
  if (claim.kind === 'everything') return true;
  const keys = pathKeys(file.replaceAll('\\', '/'));
  return claim.paths.some((path) => keysContain(pathKeys(path), keys));
}
