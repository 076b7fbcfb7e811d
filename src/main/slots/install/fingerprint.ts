import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

/** What managers themselves write down about an install. */
const RECORDS = ['.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];
const ROOT_RECORDS = ['.pnp.cjs', '.yarn/install-state.gz'];

const digest = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

function listing(directory: string): string[] {
  const kind = (entry: Dirent): string => (entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'f');
  return entriesOf(directory)
    .filter((entry) => !entry.name.startsWith('.') || entry.name === '.bin')
    .map((entry) => `${kind(entry)} ${entry.name}`)
    .sort();
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // missing or no directory: so the print says
  }
}

function record(file: string): string {
  try {
    return digest(readFileSync(file));
  } catch {
    return '';
  }
}

function modulesPart(directory: string): string[] {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (!found) return ['none'];
  if (!found.isDirectory()) return ['not a directory'];
  const top = listing(directory);
  const nested = top
    .filter((line) => line.startsWith('d @') || line.startsWith('d .bin'))
    .flatMap((line) => [line, ...listing(join(directory, line.slice(2)))]);
  return [...top, ...nested, ...RECORDS.map((name) => record(join(directory, name)))];
}

/**
 * A cheap look at what is installed: the manager's own record and the names of packages, for the root and each package
 * directory. Finds packages added, removed or swapped by another install, and a `node_modules` that is a link or gone;
 * not an edit inside a package, which is looked for after each job (`settleInstalled`). Synchronous per directory: listings are cached by the system, a thread's turn costs more.
 */
export async function installFingerprint(root: string, packages: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const directory of new Set(['', ...packages])) {
    if (directory !== '') await turn();
    hash.update(JSON.stringify([directory, modulesPart(join(root, directory, 'node_modules'))]));
  }
  hash.update(JSON.stringify(ROOT_RECORDS.map((name) => record(join(root, name)))));
  return hash.digest('hex');
}
