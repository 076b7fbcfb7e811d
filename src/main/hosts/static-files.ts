import { realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The bundler puts a hash of the content into the names below /assets/, so these never change. */
const FOREVER = 'public, max-age=31536000, immutable';

export interface StaticFile {
  path: string;
  sizeBytes: number;
  contentType: string;
  cacheControl: string;
}

/**
 * The file that a URL path names below `directory`; `/` is index.html. Undefined where there is none, or where the
 * path or a link on it leads outside.
 */
export async function findStaticFile(directory: string, urlPath: string): Promise<StaticFile | undefined> {
  const relative = toRelative(urlPath);
  if (relative === undefined) return undefined;
  try {
    const root = await realpath(directory);
    const path = await realpath(join(root, relative));
    if (!path.startsWith(root + sep)) return undefined;
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    return {
      path,
      sizeBytes: found.size,
      contentType: TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
      cacheControl: relative.startsWith('assets/') ? FOREVER : 'no-cache',
    };
  } catch {
    return undefined;
  }
}

/** Pure: undefined where the path is malformed or climbs. */
function toRelative(urlPath: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return undefined;
  }
  if (decoded === '/') return 'index.html';
  const parts = decoded.slice(1).split('/');
  // A backslash or a colon separates on Windows; no file of ours has one in its name.
  const odd = parts.some((part) => part === '' || part.startsWith('.') || /[\\:\0]/.test(part));
  return odd ? undefined : parts.join('/');
}
