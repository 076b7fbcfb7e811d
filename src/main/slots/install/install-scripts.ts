import { type DependencyTree, isRecord, joinPath, type PackageManifest } from './dependency-tree.ts';

/** Scripts of package.json that a manager runs as part of an install. */
const RUN_BY_INSTALL = [
  'preinstall',
  'install',
  'postinstall',
  'preprepare',
  'prepare',
  'postprepare',
  'prepublish',
  'dependencies',
] as const;

const EXTENSIONS = ['', '.js', '.mjs', '.cjs', '.ts', '.sh', '/index.js'];

/** Those of a manifest's scripts that an install runs, and scripts that these call by name. */
export function installScripts(scripts: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (name: string): void => {
    const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    if (typeof text !== 'string' || Object.hasOwn(found, name)) return;
    found[name] = text;
    for (const match of text.matchAll(/\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]+)/g)) {
      if (match[1] !== undefined) visit(match[1]);
    }
  };
  for (const name of RUN_BY_INSTALL) visit(name);
  return found;
}

/** Tracked files and directories that the install scripts of a manifest in `directory` name. */
export function filesOfScripts(tree: DependencyTree, manifest: PackageManifest, directory: string): string[] {
  const scripts = installScripts(isRecord(manifest.scripts) ? manifest.scripts : {});
  const named = new Set<string>();
  for (const text of Object.values(scripts)) {
    for (const word of text.split(/[\s"'`;|&()<>=]+/)) {
      const path = word === '' ? undefined : joinPath(directory, word);
      if (path) named.add(path);
    }
  }
  return [...tree.ids.keys()].filter((file) =>
    [...named].some(
      (path) => EXTENSIONS.some((extension) => file === path + extension) || file.startsWith(`${path}/`),
    ),
  );
}
