import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gitList } from '../../git/git.ts';
import { readBlobs } from '../../git/read-blobs.ts';

/** The files of one commit, by path relative to the top. Nothing is checked out or executed. */
export type Tree = {
  files: readonly string[];
  has(path: string): boolean;
  /** Text of a configuration or source file; undefined where there is none, or it is no text worth reading. */
  read(path: string): string | undefined;
  /** Text of a file below node_modules, from the user's clone, for configurations that extend a package. */
  readInstalled(path: string): string | undefined;
};

const WORTH_READING =
  /\.([cm]?[jt]sx?|jsonc?|json5|ya?ml|toml|ini|cfg|py|sh|vue|svelte|astro)$|(^|\/)(\.[\w.-]*(rc|ignore)|Makefile|justfile)$/i;
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the tree of `commit` from the repository (or mirror) at `cwd`; `clone` is where node_modules may lie. */
export async function readCommitTree(cwd: string, commit: string, clone: string): Promise<Tree> {
  const rows = await gitList(['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', commit], {
    cwd,
  });
  const objects = new Map<string, string>();
  const files: string[] = [];
  for (const row of rows) {
    const match = /^(\d+) blob (\S+) +(\d+)\t([\s\S]+)$/.exec(row);
    if (!match || match[1] === '120000') continue;
    const path = match[4] ?? '';
    files.push(path);
    if (WORTH_READING.test(path) && Number(match[3]) <= MAX_FILE_BYTES) objects.set(path, match[2] ?? '');
  }
  const texts = await readBlobs(cwd, [...objects.values()]);
  const known = new Set(files);
  return {
    files,
    has: (path) => known.has(path),
    read: (path) => texts.get(objects.get(path) ?? ''),
    readInstalled: (path) => readInstalled(clone, path),
  };
}

function readInstalled(clone: string, path: string): string | undefined {
  if (!/(^|\/)node_modules\//.test(path) || path.split('/').includes('..')) return undefined;
  const file = join(clone, path);
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : undefined;
}
