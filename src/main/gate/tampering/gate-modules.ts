import { posix } from 'node:path';

/** Product code: what a gate's program reads of it is what it checks. */
const PRODUCT = /^(src|lib|app|packages|apps)\//;
const MAX_FILES = 200;

/**
 * The files of the repository that the gate's own programs load, themselves left out: relative imports, requires and sourced
 * scripts, as far as they stay outside the product's code. `read` gives the text of the base commit.
 */
export async function gateModules(
  programs: Iterable<string>,
  read: (path: string) => Promise<string | undefined>,
): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [...programs];
  for (let path = waiting.pop(); path !== undefined && found.size < MAX_FILES; path = waiting.pop()) {
    const text = await read(path);
    if (text === undefined) continue;
    found.add(path);
    const dir = posix.dirname(path);
    for (const [, name = ''] of text.matchAll(
      /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"](\.{1,2}\/[^'"]+)['"]/g,
    )) {
      const base = posix.join(dir, name);
      for (const candidate of [
        base,
        `${base}.js`,
        `${base}.mjs`,
        `${base}.cjs`,
        `${base}.ts`,
        `${base}/index.js`,
        base.replace(/\.js$/, '.ts'),
      ]) {
        if (!PRODUCT.test(candidate) || PRODUCT.test(path))
          if (!found.has(candidate)) waiting.push(candidate);
      }
    }
    for (const [, name = ''] of text.matchAll(
      /^\s*(?:\.|source|sh|bash|node)\s+["']?(?:\$\(dirname[^)]*\)\/|\.\/)?([\w./-]+\.(?:sh|bash|mjs|cjs|js))/gm,
    )) {
      for (const candidate of [posix.join(dir, name), name])
        if (!PRODUCT.test(candidate) && !found.has(candidate)) waiting.push(candidate);
    }
  }
  return found;
}
