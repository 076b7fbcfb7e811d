import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What managers themselves write down about an install. */
const RECORDS = ['.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];
const ROOT_RECORDS = ['.pnp.cjs', '.yarn/install-state.gz'];

async function listing(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const kind = (entry: (typeof entries)[number]): string =>
    entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'f';
  return entries
    .filter((entry) => !entry.name.startsWith('.') || entry.name === '.bin')
    .map((entry) => `${kind(entry)} ${entry.name}`)
    .sort();
}

async function modulesPart(directory: string): Promise<string[]> {
  const found = await lstat(directory).catch(() => undefined);
  if (!found) return ['none'];
  if (!found.isDirectory()) return ['not a directory'];
  const top = await listing(directory);
  const scopes = top.filter((line) => line.startsWith('d @')).map((line) => line.slice(2));
  const nested = await Promise.all(
    [...scopes, '.bin'].map(async (name) => [name, ...(await listing(join(directory, name)))]),
  );
  const records = await Promise.all(
    RECORDS.map(async (name) => digest(await readFile(join(directory, name)).catch(() => ''))),
  );
  return [...top, ...nested.flat(), ...records];
}

const digest = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/**
 * A cheap look at what is installed: the manager's own record and the names of packages, for the root and each package
 * directory. Finds packages added, removed or swapped by another install, and a `node_modules` that is a link or gone;
 * not an edit inside a package.
 */
export async function installFingerprint(root: string, packages: readonly string[]): Promise<string> {
  const directories = ['', ...packages.filter((name) => name !== '')];
  const parts = await Promise.all(
    directories.map(async (directory) => [
      directory,
      ...(await modulesPart(join(root, directory, 'node_modules'))),
    ]),
  );
  const records = await Promise.all(
    ROOT_RECORDS.map(async (name) => digest(await readFile(join(root, name)).catch(() => ''))),
  );
  return digest(JSON.stringify([parts, records]));
}
