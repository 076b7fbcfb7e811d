import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { parseDuration } from '../../shared/time.ts';
import { pathProblem } from './confined-path.ts';

/** One step of a scripted agent. `line` is its line in the ticket's text, from 1. */
export type Step = { line: number } & (
  | { kind: 'print'; text: string }
  | { kind: 'pause'; pauseMs: number }
  | { kind: 'write' | 'append'; path: string; content: string }
  | { kind: 'replace'; path: string; find: string; with: string }
  | { kind: 'delete'; path: string }
  | { kind: 'run'; command: string }
  | { kind: 'commit'; message: string }
  | { kind: 'exit'; code: number }
  | { kind: 'hang' }
);
export type ScriptProblem = { line: number; message: string };

const KINDS = ['print', 'pause', 'write', 'append', 'replace', 'delete', 'run', 'commit', 'exit', 'hang'];
const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*headway[ \t]*$/;

type Block = { text: string; firstLine: number };

function findBlock(text: string): Block | ScriptProblem {
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const [, indent = '', fence] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex(
      (each, at) =>
        at > index && each.trim().startsWith(fence) && each.trim().replaceAll(fence[0] ?? '', '') === '',
    );
    if (end === -1) return { line: index + 1, message: 'the block `headway` is not closed' };
    const body = lines
      .slice(index + 1, end)
      .map((each) => each.slice(each.startsWith(indent) ? indent.length : 0));
    return { text: body.join('\n'), firstLine: index + 2 };
  }
  return {
    line: 1,
    message: 'the scripted agent needs a fenced block with the info string `headway` that lists its steps',
  };
}

/** Pure: the steps in a ticket's text, or what is wrong with them, each with its line in the text. */
export function parseScript(text: string): { steps: Step[]; problems: ScriptProblem[] } {
  const block = findBlock(text);
  if ('message' in block) return { steps: [], problems: [block] };
  const counter = new LineCounter();
  const document = parseDocument(block.text, { lineCounter: counter, uniqueKeys: true });
  const lineAt = (offset: number): number => block.firstLine - 1 + counter.linePos(offset).line;
  const problems: ScriptProblem[] = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
  }));
  if (problems.length > 0) return { steps: [], problems };
  const list = document.contents;
  if (!isSeq(list) || list.items.length === 0) {
    return { steps: [], problems: [{ line: block.firstLine, message: 'the block must be a list of steps' }] };
  }
  const steps: Step[] = [];
  for (const item of list.items as Node[]) {
    const line = lineAt(item?.range?.[0] ?? 0);
    const step = readStep(item, line);
    if (typeof step === 'string') problems.push({ line, message: step });
    else steps.push(step);
  }
  return problems.length > 0 ? { steps: [], problems } : { steps, problems };
}

/** Pure: what would keep the scripted agent from running this text; empty where nothing does. */
export function checkScript(text: string): ScriptProblem[] {
  return parseScript(text).problems;
}

function readStep(item: unknown, line: number): Step | string {
  if (!isMap(item) || item.items.length !== 1) {
    return `a step is one of ${KINDS.join(', ')} with its value, for instance \`- print: hello\``;
  }
  const pair = item.items[0] as Pair;
  const kind = isScalar(pair.key) ? String(pair.key.value) : '';
  const value = pair.value;
  switch (kind) {
    case 'print':
    case 'run':
    case 'commit': {
      const text = scalarText(value);
      if (text === undefined) return `${kind}: needs a text`;
      if (kind === 'print') return { line, kind, text };
      return kind === 'run' ? { line, kind, command: text } : { line, kind, message: text };
    }
    case 'pause': {
      const pauseMs = parseDuration(scalarText(value) ?? '');
      return pauseMs === undefined ? 'pause: needs a duration such as 200ms or 2s' : { line, kind, pauseMs };
    }
    case 'write':
    case 'append': {
      const fields = readFields(kind, value, ['path', 'content']);
      if (typeof fields === 'string') return fields;
      return { line, kind, path: fields.path ?? '', content: fields.content ?? '' };
    }
    case 'replace': {
      const fields = readFields(kind, value, ['path', 'find', 'with']);
      if (typeof fields === 'string') return fields;
      if (fields.find === '') return 'replace: find is empty';
      return { line, kind, path: fields.path ?? '', find: fields.find ?? '', with: fields.with ?? '' };
    }
    case 'delete': {
      const path = scalarText(value) ?? '';
      const problem = pathProblem(path);
      return problem ? `delete: path ${JSON.stringify(path)} ${problem}` : { line, kind, path };
    }
    case 'exit': {
      const code = Number(scalarText(value));
      return Number.isInteger(code) && code >= 0 && code <= 255
        ? { line, kind, code }
        : 'exit: needs a number from 0 to 255';
    }
    case 'hang':
      return isScalar(value) && value.value === true ? { line, kind } : 'hang: the only value is true';
    default:
      return `'${kind}' is no step; there are ${KINDS.join(', ')}`;
  }
}

function scalarText(value: unknown): string | undefined {
  if (!isScalar(value) || value.value === null || value.value === undefined) return undefined;
  return String(value.value);
}

function readFields(
  kind: string,
  value: unknown,
  names: readonly string[],
): Record<string, string | undefined> | string {
  if (!isMap(value)) return `${kind}: needs ${names.join(', ')}`;
  const fields: Record<string, string | undefined> = {};
  for (const pair of value.items as Pair[]) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!names.includes(name)) return `${kind}: unknown key '${name}'; there are ${names.join(', ')}`;
    fields[name] = scalarText(pair.value);
  }
  const missing = names.filter((name) => fields[name] === undefined);
  if (missing.length > 0) return `${kind}: ${missing.join(', ')} is missing`;
  const problem = pathProblem(fields.path ?? '');
  return problem ? `${kind}: path ${JSON.stringify(fields.path)} ${problem}` : fields;
}
