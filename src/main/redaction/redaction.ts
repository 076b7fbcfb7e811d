import { type Lead, LeadFinder } from './lead-finder.ts';
import { plainBytesOf } from './plain-view.ts';
import { Redactor } from './redactor.ts';
import { knownValues } from './secret-patterns.ts';

/** Takes secrets out of what is stored or sent whole: errors, causes, events, rows, JSON. Streams have `Redactor`. */
export type TextRedactor = {
  text(text: string): string;
  /**
   * Every text in a plain value, keys left alone; the value itself where it holds no secret. What stands under one of the
   * names in `except` stays as it is.
   */
  value<T>(value: T, except?: ReadonlySet<string>): T;
  /**
   * As `value`, for each of many rows that are replaced when they change and never changed in place: a row is looked through
   * once, until another secret is known. One set of names in `except` for all calls.
   */
  rows<T extends object>(rows: readonly T[], except?: ReadonlySet<string>): T[];
};

const NOTHING: ReadonlySet<string> = new Set();

/** Whether the text holds what must follow behind the lead for it to count. */
function mayFollow({ patterns, rest }: Lead, text: string): boolean {
  return rest !== undefined || patterns.some(({ before }) => before === undefined || text.includes(before));
}

/**
 * `secrets`: values that must not appear in any form, beside what looks like a secret by itself. More may be added to them
 * later.
 */
export function createTextRedactor(secrets: readonly string[]): TextRedactor {
  // Made with the first text: a start that says nothing does not wait for it.
  let finder: LeadFinder | undefined;
  let known = 0;
  let seen = { secrets: 0, rows: new WeakMap<object, unknown>() };

  const redactText = (text: string): string => {
    if (!finder || known !== secrets.length) {
      known = secrets.length;
      finder = new LeadFinder(knownValues(secrets));
    }
    const bytes = Buffer.from(text, 'utf8');
    // An address counts only with a password before its `@`; most have none.
    if (finder.find(plainBytesOf(bytes).plain).every(({ lead }) => !mayFollow(lead, text))) return text;
    const redactor = new Redactor(finder);
    return Buffer.concat([...redactor.push(bytes), redactor.end()]).toString('utf8');
  };

  const redactValue = (value: unknown, except: ReadonlySet<string>): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => redactValue(item, except));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
      return value;
    }
    const entries = Object.entries(value);
    const redacted = entries.map(
      ([key, item]) => [key, except.has(key) ? item : redactValue(item, except)] as const,
    );
    return redacted.some(([, item], index) => item !== entries[index]?.[1])
      ? Object.fromEntries(redacted)
      : value;
  };

  const redactRow = (row: object, except: ReadonlySet<string>): unknown => {
    if (seen.secrets !== secrets.length) seen = { secrets: secrets.length, rows: new WeakMap() };
    if (!seen.rows.has(row)) seen.rows.set(row, redactValue(row, except));
    return seen.rows.get(row);
  };

  return {
    text: redactText,
    value: <T>(value: T, except = NOTHING): T => redactValue(value, except) as T,
    rows: <T extends object>(rows: readonly T[], except = NOTHING): T[] =>
      rows.map((row) => redactRow(row, except) as T),
  };
}
