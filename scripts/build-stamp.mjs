import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['src/shared', 'src/main', 'src/preload', 'src/renderer'];
const SINGLE_FILES = ['electron.vite.config.ts', 'package.json', 'package-lock.json'];
const IGNORED = /\.test\.tsx?$|^testing$|^tsconfig\.json$/;
const BUILT = ['main', 'preload/index.cjs', 'renderer/index.html'];

/** Names of these files hold a hash of their content, so builds lie beside each other. */
const CHUNKS = ['main/chunks', 'renderer/assets'];
/** An engine of an older build that has been running for longer than this has loaded what it needs. */
const KEEP_CHUNKS_MS = 24 * 60 * 60_000;

/** @typedef {{ path: string, mtimeMs: number, size: number }} Source */

/**
 * Everything that goes into a build, without tests.
 * @param {string} root
 * @returns {Source[]}
 */
function listSources(root) {
  const found = [];
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    found.push({ path, mtimeMs, size });
  };
  const walk = (directory) => {
    for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
      if (IGNORED.test(entry.name)) continue;
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else add(path);
    }
  };
  for (const directory of SOURCES) walk(directory);
  for (const file of SINGLE_FILES) add(file);
  return found;
}

/** Cheap: names, sizes and times. Equal means unchanged; different may still mean the same content. */
function quickStamp(sources) {
  return sources.map(({ path, mtimeMs, size }) => `${path} ${mtimeMs} ${size}`).join('\n');
}

async function contentStamp(root, sources) {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha1');
  for (const { path } of sources) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

const stampPath = (root) => join(root, 'out', 'build-stamp.json');

function readStamp(root) {
  try {
    for (const path of BUILT) statSync(join(root, 'out', path));
    return JSON.parse(readFileSync(stampPath(root), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Is what stands in out/ made of the sources that stand in src/? A checkout that touched files without changing them
 * counts as fresh, and is remembered so.
 * @param {string} root
 */
export async function isFresh(root) {
  const stamp = readStamp(root);
  if (!stamp) return false;
  const sources = listSources(root);
  const quick = quickStamp(sources);
  if (stamp.quick === quick) return true;
  if (stamp.content !== (await contentStamp(root, sources))) return false;
  writeFileSync(stampPath(root), JSON.stringify({ ...stamp, quick }));
  return true;
}

/** @param {string} root */
export function dropStamp(root) {
  rmSync(stampPath(root), { force: true });
}

/**
 * Removes what older builds have left, once nobody can need it.
 * @param {string} root
 */
export function pruneOldChunks(root) {
  for (const directory of CHUNKS.map((name) => join(root, 'out', name)).filter(existsSync)) {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (statSync(path).mtimeMs < Date.now() - KEEP_CHUNKS_MS) rmSync(path);
    }
  }
}

/**
 * Call before the build: sources that change while it runs make the next look find it stale. Returns the function
 * that marks out/ as made of these sources.
 * @param {string} root
 */
export async function prepareStamp(root) {
  const sources = listSources(root);
  const stamp = { quick: quickStamp(sources), content: await contentStamp(root, sources) };
  return () => writeFileSync(stampPath(root), JSON.stringify(stamp));
}
