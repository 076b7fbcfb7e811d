import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { HeadwayError } from '../../../shared/errors.ts';
import { nearestNames } from '../../../shared/nearest-names.ts';
import { type Policy, policySchema } from './policy-schema.ts';
import { keyOffset, nodeOffset, type Path } from './yaml-places.ts';

const MAX_LENGTH = 256 * 1024;

/** Keys that are allowed where `path` points. */
function validKeys(path: Path): string[] {
  if (path.length === 0) return Object.keys(policySchema.shape);
  if (path[0] === 'gate')
    return [
      'name',
      'run',
      'builtin',
      'timeout',
      'dir',
      'env',
      'evidence',
      'frontMatter',
      'reads',
      'writes',
      'after',
      'caches',
    ];
  if (path[0] === 'caps') return ['jobs'];
  if (path[0] === 'merge') return ['auto', 'style', 'remote', 'proof'];
  if (path[0] === 'commits') return ['author', 'trailers'];
  if (path[0] === 'accept') return ['finding', 'reason', 'files'];
  return [];
}

const keyText = (path: Path): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part + 1}]` : text === '' ? part : `${text}.${part}`,
    '',
  );

/** A union hides what is wrong inside it: the branch that came furthest tells. */
function deepest(issue: z.core.$ZodIssue): { issue: z.core.$ZodIssue; path: PropertyKey[] } {
  if (issue.code === 'invalid_union') {
    const nested = issue.errors
      .flat()
      .map(deepest)
      .sort((a, b) => b.path.length - a.path.length || rank(b.issue) - rank(a.issue))[0];
    if (nested && (nested.path.length > 0 || nested.issue.code !== 'invalid_type')) {
      return { issue: nested.issue, path: [...issue.path, ...nested.path] };
    }
  }
  return { issue, path: issue.path };
}
const rank = (issue: z.core.$ZodIssue): number =>
  issue.code === 'unrecognized_keys' ? 2 : issue.code === 'invalid_type' ? 0 : 1;

function words(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') return 'must be a command, or {name, run, timeout}';
  if (issue.code === 'invalid_key' && issue.issues[0]) return words(issue.issues[0]);
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}

/**
 * Reads a policy file. Error `bad-input`: `headway.yaml:7: unknown key "gaet"; did you mean gate?`
 */
export function parsePolicy(text: string, fileName: string): Policy {
  const fail = (line: number, message: string): HeadwayError =>
    new HeadwayError('bad-input', `${fileName}:${line}: ${message}`, { data: { file: fileName, line } });
  if (text.length > MAX_LENGTH) throw fail(1, 'is larger than 256 KiB');
  if (text.includes('\uFFFD')) throw fail(1, 'is not UTF-8 text; save it as UTF-8');
  const counter = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: counter, prettyErrors: false });
  const lineAt = (offset: number | undefined): number =>
    offset === undefined ? 1 : Math.max(1, counter.linePos(offset).line);
  const [problem] = document.errors;
  if (problem) throw fail(lineAt(problem.pos[0]), `is not valid YAML: ${problem.message}`);

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 50 }) ?? {};
  } catch {
    throw fail(1, 'uses too many YAML aliases');
  }
  const checked = policySchema.safeParse(value);
  if (checked.success) return checked.data;

  const first = checked.error.issues[0];
  if (!first) throw fail(1, 'is not valid');
  const { issue, path: given } = deepest(first);
  const path = given.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const keys = validKeys(path);
    const near = nearestNames(key, keys, 1)[0];
    const out = near === undefined ? `the keys are ${keys.join(', ')}` : `did you mean ${near}?`;
    const where = path.length === 0 ? '' : ` in ${keyText(path)}`;
    throw fail(lineAt(keyOffset(document.contents, path, key)), `unknown key "${key}"${where}; ${out}`);
  }
  if (path.length === 0) throw fail(1, 'must be a list of keys such as "gate:"');
  throw fail(lineAt(nodeOffset(document.contents, path)), `${keyText(path)}: ${words(issue)}`);
}
