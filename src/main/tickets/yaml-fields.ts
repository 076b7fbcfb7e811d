import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import type { Field, Fields, FieldValue, LineProblem } from './fields.ts';

/** The text of a scalar as it was written, so that `id: 007` is not the number 7; undefined for what is no text. */
function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  const { value, source } = node as Scalar;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? (source ?? String(value)) : undefined;
}

/**
 * Reads the keys of a ticket's YAML. `firstLine` is the line of the file that it begins at. An alias stands for the text or
 * list that its anchor marks; nothing is ever unfolded, so aliases of aliases take no more room than they are written in.
 */
export function yamlFields(yaml: string, firstLine: number): Fields {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, schema: 'core' });
  const lineAt = (offset: number): number => firstLine + Math.max(0, counter.linePos(offset).line - 1);
  const lineOf = (node: unknown, otherwise: number): number => {
    const start = (node as Node | null)?.range?.[0];
    return start === undefined ? otherwise : lineAt(start);
  };
  const problems: LineProblem[] = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: `the front matter is no valid YAML: ${error.message}`,
  }));
  const { contents } = document;
  if (problems.length > 0 || contents === null) return { fields: [], problems };
  if (!isMap(contents)) {
    const message = 'the front matter must be keys with their values, such as "title: …"';
    return { fields: [], problems: [{ line: firstLine, message }] };
  }

  // An anchor may be set anew; an alias means the last one before it.
  const anchors = new Map<string, Node>();
  const targets = new Map<unknown, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
        else
          problems.push({
            line: lineOf(node, firstLine),
            message: `no anchor &${node.source} stands before *${node.source}`,
          });
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  const meant = (node: unknown): unknown => targets.get(node) ?? node;

  const fieldValue = (node: unknown, line: number): FieldValue => {
    if (node === null || (isScalar(node) && (node.value === null || node.value === '')))
      return { kind: 'empty' };
    const text = textOf(node);
    if (text !== undefined) return { kind: 'text', text };
    if (!isSeq(node)) return { kind: 'other' };
    const items = node.items.map((item) => ({ text: textOf(meant(item)), line: lineOf(item, line) }));
    return { kind: 'list', items };
  };
  const fields = contents.items.map(({ key, value }): Field => {
    const line = lineOf(key, firstLine);
    return { key: textOf(meant(key)) ?? '', line, value: fieldValue(meant(value), line) };
  });
  return { fields, problems };
}
