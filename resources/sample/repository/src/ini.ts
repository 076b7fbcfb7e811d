import { splitLines } from './text.js';

export type Ini = Record<string, Record<string, string>>;

/** Sections of keys with their values. Keys ahead of the first section belong to the section ''. */
export function parseIni(text: string): Ini {
  const result: Ini = {};
  let section = '';
  for (const line of splitLines(text)) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const name = /^\[(.*)\]$/.exec(trimmed)?.[1];
    if (name !== undefined) {
      section = name.trim();
      result[section] ??= {};
      continue;
    }
    const at = trimmed.indexOf('=');
    const key = at === -1 ? trimmed : trimmed.slice(0, at).trim();
    const value = at === -1 ? '' : trimmed.slice(at + 1).trim();
    result[section] = { ...result[section], [key]: value };
  }
  return result;
}
