import type { z } from 'zod';
import { type Settings, settingsSchema } from './domain.ts';
import { nearestNames } from './nearest-names.ts';

/** What a number of a setting counts, by the end of its name, and how the command line takes it. */
const UNITS = [
  { ending: 'Ms', unit: 'milliseconds', typed: '30s or 1.5h' },
  { ending: 'Bytes', unit: 'bytes', typed: '512MB or 40GB' },
  { ending: 'Days', unit: 'days', typed: undefined },
];

const names = (): (keyof Settings)[] => Object.keys(settingsSchema.shape) as (keyof Settings)[];

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? inner.slice(0, 60) : inner)) ?? 'nothing';

/** `a whole number from 1 to 64`, `a whole number of bytes, 0 or more`; undefined for a setting that is no number. */
function allowedNumber(name: keyof Settings): string | undefined {
  const field = settingsSchema.shape[name];
  const number = field.type === 'optional' ? field.unwrap() : field;
  if (number.type !== 'number') return undefined;
  const kind = UNITS.find(({ ending }) => name.endsWith(ending));
  const least = number.minValue ?? 0;
  const most = number.maxValue ?? Number.MAX_SAFE_INTEGER;
  const range = most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : `, ${least} or more`;
  const typed = kind?.typed === undefined ? '' : ` (the command line also takes ${kind.typed})`;
  return `a whole number${kind ? ` of ${kind.unit}` : ''}${range}${typed}`;
}

/** Pure: what is wrong with a change of settings, with the range and unit that the setting has. */
function settingProblem(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const [near] = nearestNames(key, names(), 1);
    return `there is no setting ${key.slice(0, 60)}; ${near === undefined ? `there are ${names().join(', ')}` : `did you mean ${near}?`}`;
  }
  const name = names().find((one) => one === issue.path[0]);
  if (name === undefined) return 'the change must be an object of settings with their values';
  const field = settingsSchema.shape[name];
  const allowed = allowedNumber(name) ?? (field.type === 'boolean' ? 'true or false' : 'a text');
  return `${name} must be ${allowed}${field.type === 'optional' ? ', or none' : ''}; it was ${shown((given as Record<string, unknown>)[name])}`;
}

/** Pure: what is wrong with what a request was given, in the words that every door shows; names the field. */
export function requestProblem(request: string, issue: z.core.$ZodIssue | undefined, given: unknown): string {
  if (request === 'settings.set' && issue) return settingProblem(issue, given);
  return `${request}: ${issue?.path.join('.') || 'params'}: ${issue?.message ?? 'is not valid'}`;
}
