import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';

/**
 * The folder `resources/sample`, which holds `repository` and `tickets`: above this module, wherever it was bundled to, or beside
 * a packaged application. Throws `unavailable` where the installation lacks it.
 */
export function sampleResources(from = import.meta.dirname): string {
  const candidates: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    candidates.push(join(folder, 'resources', 'sample'));
    if (dirname(folder) === folder) break;
  }
  candidates.push(...packagedFolder('sample'));
  const found = candidates.find((path) => existsSync(join(path, 'repository', 'package.json')));
  if (found) return found;
  throw new HeadwayError(
    'unavailable',
    `the sample is not part of this installation: no resources/sample above ${from}; install Headway again`,
  );
}

/** Where a packaged application keeps a folder beside its archive; empty where this is none. */
export function packagedFolder(name: string): string[] {
  const path = (process as { resourcesPath?: string }).resourcesPath;
  return path === undefined ? [] : [join(path, name)];
}

/** Pure: a file's name in the sample for its name in the resources. Packagers leave out dot files, so these lie there as `_name`. */
export function sampleName(path: string): string {
  return path.startsWith('_') ? `.${path.slice(1)}` : path;
}

/** The files below a folder, relative to it, `/` between the parts, sorted. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    if (!entry.isDirectory()) return [entry.name];
    return (await listFiles(join(folder, entry.name))).map((path) => `${entry.name}/${path}`);
  });
  return (await Promise.all(nested)).flat().sort();
}
