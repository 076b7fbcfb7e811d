import { fromElsewhere, isChecker } from '../commands/checker-packages.ts';
import { LOCKFILE_NAMES, parsePackage } from '../commands/package-scripts.ts';
import { type Locked, readLockfile } from './locked.ts';

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

export const isLockfile = (path: string): boolean => LOCKFILE_NAMES.includes(baseName(path));

/** Registries that a package manager asks by itself. */
const USUAL = ['registry.npmjs.org', 'registry.yarnpkg.com', 'npm.jsr.io'];

/** The machine that a package comes from; without encryption it is another one. */
function hostOf(resolved: string): string | undefined {
  const short = /^(github|gitlab|bitbucket):/.exec(resolved)?.[1];
  if (short !== undefined) return short;
  const match =
    /^(?:git\+)?([a-z][a-z+]*):\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(resolved) ??
    /^()[^/@]+@([^/:]+):/.exec(resolved);
  if (!match) return undefined;
  return `${match[1] === 'http' ? 'http://' : ''}${match[2]?.toLowerCase()}`;
}

/** Name in the address of a registry's archive: `/@a/b/-/b-1.0.0.tgz`. */
const nameIn = (resolved: string): string | undefined =>
  /\/((?:@[^/]+(?:\/|%2f))?[^/]+)\/-\/[^/]+\.tgz/i.exec(resolved)?.[1]?.replace(/%2f/i, '/');

const algorithm = (integrity: string): string => /^(sha\d+-|[0-9a-z]+\/)/.exec(integrity)?.[0] ?? '';
const STRENGTH = ['', 'sha1-', 'sha256-', 'sha384-', 'sha512-'];

/** A published version never changes: the same one has the same content, or a stronger word for it. */
function otherContent(before: Locked, after: Locked): boolean {
  if (before.integrity === undefined) return before.resolved !== after.resolved;
  if (after.integrity === undefined) return true;
  if (before.integrity === after.integrity) return false;
  const [old, fresh] = [algorithm(before.integrity), algorithm(after.integrity)];
  if (old === fresh) return true;
  const [oldRank, freshRank] = [STRENGTH.indexOf(old), STRENGTH.indexOf(fresh)];
  // Yarn's own prefixes name the version of its cache, and say nothing about the content of another one.
  return oldRank >= 0 && freshRank >= 0 ? freshRank < oldRank : false;
}

/** A changed lockfile at either side, and the newer package.json beside it, where that has changed as well. */
export type ChangedLockfile = Record<'before' | 'after' | 'manifest', string | undefined> & { path: string };

/** Pure: of changed lockfiles the paths of those that need a person. */
export const tamperedLockfiles = (changed: readonly ChangedLockfile[]): string[] =>
  changed.flatMap(({ path, before, after, manifest }) => {
    const declared = fromElsewhere(parsePackage(manifest ?? '')?.whole);
    return lockfileTampering(path, before, after, declared) === undefined ? [] : path;
  });

/**
 * Pure: why a changed lockfile needs a person, because it brings code that its dependencies do not ask for: another content of
 * the same version, another machine, another package's code under a name, a checker from this machine. Undefined: versions moved, and
 * no more. `declared` are the names that package.json takes from elsewhere itself; it shows them.
 */
export function lockfileTampering(
  path: string,
  before: string | undefined,
  after: string | undefined,
  declared: ReadonlySet<string>,
): string | undefined {
  if (after === undefined)
    return before === undefined ? undefined : 'it is deleted, so nothing is pinned any more';
  const name = baseName(path);
  const head = readLockfile(name, after);
  const base = before === undefined ? [] : readLockfile(name, before);
  if (!base) return undefined; // nobody could have read it before
  if (!head) return 'it can not be read any more';
  const hosts = new Set([
    ...USUAL,
    ...base.flatMap(({ resolved }) => (resolved ? (hostOf(resolved) ?? []) : [])),
  ]);
  const known = new Map<string, Locked[]>();
  for (const each of base) {
    const key = `${each.name}@${each.version}`;
    known.set(key, [...(known.get(key) ?? []), each]);
  }
  const remote = new Set(base.flatMap((each) => (each.local ? [] : each.name)));
  const hashed = base.some(({ integrity }) => integrity !== undefined);
  for (const each of head) {
    const { alias, resolved, version } = each;
    const what = `${each.name}@${version}`;
    if (declared.has(each.name)) continue;
    const same = known.get(what);
    if (same && !each.local && same.every((old) => old.local !== true && otherContent(old, each)))
      return `${what} has another content than before`;
    if (each.local && (remote.has(each.name) || isChecker(each.name)))
      return `${what} comes from this machine`;
    if (
      same?.some(
        (old) => old.resolved === resolved && old.alias === alias && old.integrity === each.integrity,
      )
    )
      continue;
    const host = resolved === undefined ? undefined : hostOf(resolved);
    if (host !== undefined && !hosts.has(host)) return `${what} comes from ${host}`;
    const inside = resolved === undefined ? undefined : nameIn(resolved);
    if (inside !== undefined && inside !== (alias ?? each.name)) return `${what} is the code of ${inside}`;
    if (alias !== undefined && isChecker(each.name)) return `${what} is the code of ${alias}`;
    if (hashed && inside !== undefined && each.integrity === undefined) return `${what} has no integrity`;
  }
  return undefined;
}
