import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HeadwayError } from '../../shared/errors.ts';
import { confinedPath } from './confined-path.ts';

const MAX_ENTRIES = 400;
const MAX_DEPTH = 6;
/** Of no use to a model, and huge. */
const PASSED_OVER = new Set(['.git', 'node_modules']);
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 48 * 1024;

/** One path a line, folders with a slash, links with an at sign; links are not followed. */
export async function listFiles(dir: string, path: string, depth: number): Promise<string> {
  const root = await confinedPath(dir, path);
  if (!(await stat(root)).isDirectory()) throw new HeadwayError('bad-input', `${path} is no folder; read it`);
  const lines: string[] = [];
  let more = false;
  const visit = async (folder: string, shown: string, level: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (lines.length >= MAX_ENTRIES) {
        more = true;
        return;
      }
      const name = shown + entry.name;
      if (!entry.isDirectory()) {
        lines.push(entry.isSymbolicLink() ? `${name}@` : name);
        continue;
      }
      const over = PASSED_OVER.has(entry.name);
      lines.push(`${name}/${over ? ' (not listed)' : ''}`);
      if (!over && level < Math.min(depth, MAX_DEPTH)) {
        await visit(join(folder, entry.name), `${name}/`, level + 1);
      }
    }
  };
  await visit(root, '', 1);
  if (more) lines.push(`[only the first ${MAX_ENTRIES} are listed; list a folder below]`);
  return lines.length === 0 ? '(empty)' : lines.join('\n');
}

/** Lines of a text file, from line `offset` (from 1), at most `limit`. A cut is named in the text. */
export async function readText(
  dir: string,
  path: string,
  offset: number,
  limit: number | undefined,
): Promise<string> {
  const text = await textOf(await confinedPath(dir, path), path);
  const lines = text.split('\n');
  const total = text.endsWith('\n') ? lines.length - 1 : lines.length;
  if (text === '') return '(the file is empty)';
  if (offset > total) throw new HeadwayError('bad-input', `${path} has ${total} lines only`);
  const from = offset - 1;
  let end = Math.min(total, limit === undefined ? total : from + limit);
  let shown = lines.slice(from, end).join('\n');
  if (shown.length > MAX_SHOWN_CHARACTERS) {
    shown = shown.slice(0, MAX_SHOWN_CHARACTERS);
    end = from + shown.split('\n').length;
    shown += '…';
  }
  return end < total || from > 0 ? `${shown}\n[lines ${from + 1} to ${end} of ${total}]` : shown;
}

export async function writeText(dir: string, path: string, content: string): Promise<string> {
  const file = await confinedPath(dir, path);
  const before = await lstat(file).catch(() => undefined);
  if (before?.isDirectory()) throw new HeadwayError('bad-input', `${path} is a folder`);
  await mkdir(dirname(file), { recursive: true });
  if (before) await refuseSpecial(file, path);
  await writeFile(file, content);
  return `${before ? 'replaced' : 'made'} ${path}, ${content.length} characters`;
}

/** Replaces `old`, which must stand there exactly once unless `all`. Line ends of the file are kept. */
export async function editText(
  dir: string,
  path: string,
  edit: { old: string; new: string; all: boolean },
): Promise<string> {
  const file = await confinedPath(dir, path);
  const text = await textOf(file, path);
  let { old, new: to } = edit;
  if (!text.includes(old) && text.includes('\r\n')) {
    // Models write plain line feeds.
    old = old.replace(/\r?\n/g, '\r\n');
    to = to.replace(/\r?\n/g, '\r\n');
  }
  const found = text.split(old).length - 1;
  if (found === 0) {
    throw new HeadwayError('not-found', `${path} does not hold that text; read it again and copy it exactly`);
  }
  if (found > 1 && !edit.all) {
    throw new HeadwayError(
      'bad-input',
      `that text stands in ${path} ${found} times; give more lines around it, or set all`,
    );
  }
  await writeFile(file, text.split(old).join(to));
  return `edited ${path}, ${found} ${found === 1 ? 'place' : 'places'}`;
}

/** A pipe would be waited for without end, a device read without end. */
async function refuseSpecial(file: string, path: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new HeadwayError('not-found', `there is no ${path}`);
  if (found.isDirectory()) throw new HeadwayError('bad-input', `${path} is a folder; list it`);
  if (!found.isFile()) throw new HeadwayError('not-allowed', `${path} is no regular file`);
  return found.size;
}

async function textOf(file: string, path: string): Promise<string> {
  const size = await refuseSpecial(file, path);
  if (size > MAX_FILE_BYTES) {
    throw new HeadwayError('bad-input', `${path} has ${size} bytes; look at a part of it with run`);
  }
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = await handle.readFile();
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new HeadwayError('bad-input', `${path} is no UTF-8 text`);
  } finally {
    await handle.close();
  }
}
