import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  DEPENDENCY_FIELDS,
  type DependencyTree,
  directoryOf,
  isRecord,
  joinPath,
  manifestOf,
  relevantManifests,
} from './dependency-tree.ts';

/** The path in `file:../lib`, `link:lib`, `portal:lib::locator`, `./lib`; undefined for what names no path. */
function pathOf(range: string): string | undefined {
  const path = /^(?:file|link|portal):(.+)$/.exec(range)?.[1] ?? /^\.{1,2}\/.*$|^\/.+$/.exec(range)?.[0];
  return path === undefined || path.startsWith('~')
    ? undefined
    : path.replace(/^\/\/(?=\/)/, '').replace(/(?:#|::).*$/, '');
}

/**
 * Packages named by a path where nothing is. Some managers link them all the same and end well; the first to notice would be a
 * check, by an error that says nothing of it.
 */
export function lostDependencies(root: string, tree: DependencyTree): string[] {
  return relevantManifests(tree).flatMap((manifestPath) => {
    const manifest = manifestOf(tree, manifestPath) ?? {};
    const directory = directoryOf(manifestPath);
    const named = DEPENDENCY_FIELDS.flatMap((field) => {
      const value = manifest[field];
      return isRecord(value) ? Object.entries(value) : [];
    });
    return named.flatMap(([name, range]) => {
      const path = pathOf(String(range));
      if (path === undefined || existsSync(resolve(join(root, directory), path))) return [];
      const isOutside = path.startsWith('/') || joinPath(directory, path) === undefined;
      const where = isOutside ? ' (a slot holds the repository alone)' : '';
      return [`${manifestPath}: ${name} is ${String(range)}, which leads nowhere${where}`];
    });
  });
}
