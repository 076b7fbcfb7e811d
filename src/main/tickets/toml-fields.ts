import { parse, TomlError } from 'smol-toml';
import type { Field, Fields, FieldValue } from './fields.ts';

/** Reads the keys of a ticket's TOML. `firstLine` is the line of the file that it begins at. */
export function tomlFields(toml: string, firstLine: number): Fields {
  let table: Record<string, unknown>;
  try {
    table = parse(toml);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [what = ''] = thrown.message.split('\n');
    const message = `the front matter is no valid TOML: ${what.replace(/^Invalid TOML document: /, '')}`;
    return { fields: [], problems: [{ line: firstLine + thrown.line - 1, message }] };
  }
  const lines = toml.split('\n');
  const fields = Object.entries(table).map(([key, value]): Field => {
    const line = firstLine + Math.max(0, lineOfKey(lines, key));
    return { key, line, value: fieldValue(value, line) };
  });
  return { fields, problems: [] };
}

/** The parser tells no places. A key is where a line begins with it, as a value or as a table. */
function lineOfKey(lines: readonly string[], key: string): number {
  return lines.findIndex((line) => {
    const name = /^\s*\[{0,2}\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.\]]/.exec(line);
    return name !== null && (name[1] ?? name[2] ?? name[3]) === key;
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Date
    ? String(value)
    : undefined;
}

function fieldValue(value: unknown, line: number): FieldValue {
  const text = textOf(value);
  if (text !== undefined) return text === '' ? { kind: 'empty' } : { kind: 'text', text };
  if (!Array.isArray(value)) return { kind: 'other' };
  return { kind: 'list', items: value.map((item) => ({ text: textOf(item), line })) };
}
