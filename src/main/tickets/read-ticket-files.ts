import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { formatBytes } from '../../shared/sizes.ts';
import type { TicketFile } from './parse-tickets.ts';

/** A file may hold several tickets; beyond this it is no ticket file but a mistake. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a ticket file, or the `.md` files of a directory in the order of their names (numbers by value; not those of
 * directories below, hidden ones, or a README without front matter). Throws `not-found` and `bad-input`.
 */
export async function readTicketFiles(path: string): Promise<TicketFile[]> {
  const info = await stat(path).catch((thrown: unknown) => {
    throw unreadable(path, thrown);
  });
  if (!info.isDirectory()) return [await readOne(path, info)];

  const entries = await readdir(path).catch((thrown: unknown) => {
    throw unreadable(path, thrown);
  });
  const names = entries.filter((name) => /\.(?:md|markdown)$/i.test(name) && !name.startsWith('.'));
  names.sort(new Intl.Collator('en', { numeric: true }).compare);
  const files: TicketFile[] = [];
  for (const name of names) {
    const file = join(path, name);
    const fileInfo = await stat(file).catch((thrown: unknown) => {
      throw unreadable(file, thrown);
    });
    if (fileInfo.isDirectory()) continue;
    const read = await readOne(file, fileInfo);
    if (!/^readme\.\w+$/i.test(name) || startsWithRule(read.bytes)) files.push(read);
  }
  if (files.length === 0) throw new HeadwayError('bad-input', `no tickets in ${path}: it has no .md file`);
  return files;
}

async function readOne(
  path: string,
  info: { isFile(): boolean; size: number },
): Promise<{ name: string; bytes: Uint8Array }> {
  if (!info.isFile()) throw new HeadwayError('bad-input', `${path} is neither a file nor a directory`);
  if (info.size > MAX_FILE_BYTES) {
    const sizes = `${formatBytes(info.size)}; at most ${formatBytes(MAX_FILE_BYTES)} are taken`;
    throw new HeadwayError('bad-input', `ticket file ${path} has ${sizes}`);
  }
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw unreadable(path, thrown);
  });
  return { name: basename(path), bytes };
}

function startsWithRule(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*---\s*[\r\n]/.test(
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 256)),
  );
}

function unreadable(path: string, thrown: unknown): HeadwayError {
  const error = toError(thrown) as NodeJS.ErrnoException;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    return new HeadwayError('not-found', `no such ticket file or directory: ${path}`, { cause: thrown });
  }
  return new HeadwayError('bad-input', `can't read tickets at ${path}: ${error.message}`, { cause: thrown });
}
