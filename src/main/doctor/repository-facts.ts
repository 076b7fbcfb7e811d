import { git } from '../git/git.ts';
import type { Facts } from './facts.ts';

const LOCKFILES = ['pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'package-lock.json', 'yarn.lock'];

/** Pure: pairs of paths that are one file where case does not count. */
export function caseTwins(paths: readonly string[]): [string, string][] {
  const seen = new Map<string, string>();
  const twins: [string, string][] = [];
  for (const path of paths) {
    const key = path.normalize('NFC').toLowerCase();
    const other = seen.get(key);
    if (other === undefined) seen.set(key, path);
    else twins.push([other, path]);
  }
  return twins;
}

/** What of a repository's tracked files matters to the place of its slots. */
export async function repositoryFacts(place: {
  path: string;
  name: string;
}): Promise<{ facts: NonNullable<Facts['repository']>; lockfiles: string[] }> {
  const { stdout } = await git(['ls-files', '-z'], { cwd: place.path });
  const paths = stdout.split('\0').filter((path) => path !== '');
  return {
    facts: {
      name: place.name,
      longestPath: paths.reduce((longest, path) => Math.max(longest, path.length), 0),
      caseTwins: caseTwins(paths),
    },
    lockfiles: LOCKFILES.filter((name) => paths.includes(name)),
  };
}
