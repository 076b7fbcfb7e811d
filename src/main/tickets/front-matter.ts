import { PRIORITIES, type Priority } from '../../shared/domain.ts';
import { nearestNames } from '../../shared/nearest-names.ts';
import { parseDuration } from '../../shared/time.ts';
import type { FieldValue, LineProblem } from './fields.ts';
import { tomlFields } from './toml-fields.ts';
import { yamlFields } from './yaml-fields.ts';

export type Located<T> = { value: T; line: number };

export type FrontMatter = {
  id?: Located<string>;
  title?: Located<string>;
  paths?: Located<string>[];
  dependsOn: Located<string>[];
  related: Located<string>[];
  priority?: Priority;
  agent?: Located<string>;
  timeoutMs?: number;
};

const KEYS = ['id', 'title', 'paths', 'dependsOn', 'related', 'priority', 'agent', 'timeout'] as const;
type Key = (typeof KEYS)[number];
/** Words that people use for a key, and that no spelling leads to. */
const SYNONYMS: Record<string, Key> = {
  files: 'paths',
  scope: 'paths',
  deps: 'dependsOn',
  dependencies: 'dependsOn',
  requires: 'dependsOn',
  after: 'dependsOn',
  blockedby: 'dependsOn',
  needs: 'dependsOn',
  name: 'title',
  summary: 'title',
  model: 'agent',
  limit: 'timeout',
};

const isKey = (key: string): key is Key => (KEYS as readonly string[]).includes(key);

/** Reads a ticket's front matter. `firstLine` is the line of the file that it begins at. */
export function readFrontMatter(
  source: string,
  firstLine: number,
  language: 'yaml' | 'toml' = 'yaml',
): { frontMatter: FrontMatter; problems: LineProblem[] } {
  const frontMatter: FrontMatter = { dependsOn: [], related: [] };
  const { fields, problems } = (language === 'toml' ? tomlFields : yamlFields)(source, firstLine);
  if (problems.length > 0) return { frontMatter, problems };

  for (const { key, line, value } of fields) {
    if (key === '<<') {
      problems.push({ line, message: 'merge keys (<<) are not read: write the keys out' });
      continue;
    }
    if (!isKey(key)) {
      const meant = SYNONYMS[key.toLowerCase().replace(/[^a-z]/g, '')] ?? nearestNames(key, KEYS, 1)[0];
      const hint = meant ? `did you mean ${meant}?` : `known are ${KEYS.join(', ')}`;
      problems.push({ line, message: `unknown key "${key}": ${hint}` });
      continue;
    }
    const problem = readKey(key, value, line);
    if (problem) problems.push({ line, message: problem });
  }
  return { frontMatter, problems };

  /** Sets the key, or says what is wrong with it. */
  function readKey(key: Key, value: FieldValue, line: number): string | undefined {
    if (key === 'paths' || key === 'dependsOn' || key === 'related') {
      const list = readList(key, value, line);
      if (typeof list === 'string') return list;
      frontMatter[key] = list;
      return undefined;
    }
    const text = value.kind === 'text' ? value.text.trim() : '';
    if (text === '') return `${key} must be text${value.kind === 'empty' ? ', but is empty' : ''}`;
    if (key === 'id' || key === 'title' || key === 'agent') frontMatter[key] = { value: text, line };
    else if (key === 'priority') {
      const priority = PRIORITIES.find((each) => each === text);
      if (!priority) return `priority must be ${PRIORITIES.join(', ')}, but is "${text}"`;
      frontMatter.priority = priority;
    } else {
      const timeoutMs = parseDuration(text);
      if (!timeoutMs)
        return `timeout must be a duration with its unit, such as 90s, 10m or 1.5h, but is "${text}"`;
      frontMatter.timeoutMs = timeoutMs;
    }
    return undefined;
  }
}

function readList(key: Key, value: FieldValue, line: number): Located<string>[] | string {
  if (value.kind === 'text' && value.text.trim() !== '' && !value.text.includes(','))
    return [{ value: value.text.trim(), line }];
  if (value.kind !== 'list')
    return `${key} must be a list, such as [${key === 'paths' ? '"src/ui", "docs/guide.md"' : '"first", "second"'}]`;
  const list: Located<string>[] = [];
  for (const item of value.items) {
    const text = item.text?.trim();
    if (text === undefined || text === '') return `${key} must be a list of texts; one of its items is none`;
    list.push({ value: text, line: item.line });
  }
  return list;
}
