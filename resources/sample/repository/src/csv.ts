import { splitLines } from './text.js';

/** Rows of fields. Fields are separated by commas; a field can't hold one yet. */
export function parseCsv(text: string): string[][] {
  return splitLines(text).map((line) => line.split(','));
}
