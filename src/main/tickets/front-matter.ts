import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar } from 'yaml';
import { PRIORITIES, type Priority } from '../../shared/domain.ts';
import { nearestNames } from '../../shared/nearest-names.ts';
import { parseDuration } from '../../shared/time.ts';

export type Located<T> = { value: T; line: number };
export type LineProblem = { line: number; message: string };

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

/** The text of a scalar as it was written, so that `id: 007` is not the number 7; undefined for what is no text. */
function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  const { value, source } = node as Scalar;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? (source ?? String(value)) : undefined;
}

const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && (node.value === null || node.value === ''));

/** Reads a ticket's YAML. `firstLine` is the line of the file that it begins at. */
export function readFrontMatter(
  yaml: string,
  firstLine: number,
): { frontMatter: FrontMatter; problems: LineProblem[] } {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, schema: 'core' });
  const problems: LineProblem[] = [];
  const frontMatter: FrontMatter = { dependsOn: [], related: [] };
  const lineAt = (offset: number): number => firstLine + Math.max(0, counter.linePos(offset).line - 1);
  const lineOf = (node: unknown, otherwise: number): number => {
    const start = (node as Node | null)?.range?.[0];
    return start === undefined ? otherwise : lineAt(start);
  };
  for (const error of document.errors) {
    problems.push({
      line: lineAt(error.pos[0]),
      message: `the front matter is no valid YAML: ${error.message}`,
    });
  }
  if (problems.length > 0 || document.contents === null) return { frontMatter, problems };
  if (!isMap(document.contents)) {
    problems.push({
      line: firstLine,
      message: 'the front matter must be keys with their values, such as "title: …"',
    });
    return { frontMatter, problems };
  }

  for (const { key: keyNode, value } of document.contents.items) {
    const key = textOf(keyNode) ?? '';
    const line = lineOf(keyNode, firstLine);
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
  function readKey(key: Key, value: unknown, line: number): string | undefined {
    if (key === 'paths' || key === 'dependsOn' || key === 'related') {
      const list = readList(key, value, line);
      if (typeof list === 'string') return list;
      frontMatter[key] = list;
      return undefined;
    }
    const text = textOf(value)?.trim();
    if (text === undefined || text === '')
      return `${key} must be text${isEmpty(value) ? ', but is empty' : ''}`;
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

  function readList(key: Key, value: unknown, line: number): Located<string>[] | string {
    const single = textOf(value);
    if (single !== undefined && single.trim() !== '' && !single.includes(','))
      return [{ value: single.trim(), line }];
    if (!isSeq(value))
      return `${key} must be a list, such as [${key === 'paths' ? 'src/ui, docs/guide.md' : 'first, second'}]`;
    const list: Located<string>[] = [];
    for (const item of value.items) {
      const text = textOf(item)?.trim();
      if (text === undefined || text === '')
        return `${key} must be a list of texts; one of its items is none`;
      list.push({ value: text, line: lineOf(item, line) });
    }
    return list;
  }
}
