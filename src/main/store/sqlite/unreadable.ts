import type { z } from 'zod';

/** The first thing that is wrong with a record, with its place: `ticket.id: Invalid input`. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return error.message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

const SHOWN = 5;

/** Records that could not be read. They stay as they are, and nobody is kept from the others. */
export class UnreadableRecords {
  readonly #found = new Map<string, string>();

  /** The record of this row; undefined, and noted, where it is none. */
  read<T>(what: string, data: unknown, schema: z.ZodType<T>): T | undefined {
    let stored: unknown;
    try {
      stored = JSON.parse(String(data));
    } catch {
      this.#found.set(what, 'it is no JSON');
      return undefined;
    }
    const parsed = schema.safeParse(stored);
    if (parsed.success) {
      this.#found.delete(what);
      return parsed.data;
    }
    this.#found.set(what, problemOf(parsed.error));
    return undefined;
  }

  /** In words for a person; undefined: all could be read. */
  words(file: string): string | undefined {
    if (this.#found.size === 0) return undefined;
    const all = [...this.#found].map(([what, why]) => `${what} (${why})`);
    const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : '';
    return `${file} holds records that cannot be read and are passed over: ${all.slice(0, SHOWN).join(', ')}${more}.`;
  }
}
