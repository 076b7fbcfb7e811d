import type { Node } from 'typescript';
import type { TypescriptApi } from '../audit/typescript.ts';
import type { Break } from './breaks.ts';

const FLIPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
  '-': '+',
  '*': '/',
};
const AT_MOST = 3;

type Change = { start: number; end: number; with: string; line: number };

/** Places inside functions where the logic can be turned round without another type: comparisons, arithmetic, booleans. */
function changesIn(ts: TypescriptApi, file: string, text: string): Change[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Change[] = [];
  const add = (node: Node, replacement: string): void => {
    const start = node.getStart();
    found.push({
      start,
      end: node.getEnd(),
      with: replacement,
      line: source.getLineAndCharacterOfPosition(start).line + 1,
    });
  };
  const visit = (node: Node, inFunction: boolean): void => {
    if (inFunction && ts.isBinaryExpression(node)) {
      const flipped = FLIPPED[node.operatorToken.getText()];
      if (flipped !== undefined) add(node.operatorToken, flipped);
    } else if (inFunction && ts.isReturnStatement(node) && node.expression) {
      if (node.expression.kind === ts.SyntaxKind.TrueKeyword) add(node.expression, 'false');
      else if (node.expression.kind === ts.SyntaxKind.FalseKeyword) add(node.expression, 'true');
      else if (ts.isNumericLiteral(node.expression)) add(node.expression, `${node.expression.text} + 1`);
    } else if (
      inFunction &&
      ts.isBinaryExpression(node.parent) &&
      ts.isNumericLiteral(node) &&
      node.parent.operatorToken.getText() === '+'
    ) {
      add(node, `(${node.text} + 1)`);
    }
    if (
      inFunction &&
      ts.isBinaryExpression(node) &&
      node.operatorToken.getText() === '+' &&
      !ts.isStringLiteralLike(node.left) &&
      !ts.isStringLiteralLike(node.right) &&
      !found.some(({ start }) => start >= node.getStart() && start < node.getEnd())
    ) {
      // Numbers or strings: the second operand is used twice, which is of the same type.
      add(node.right, `${node.right.getText()} + ${node.right.getText()}`);
    }
    const inside = inFunction || ts.isFunctionLike(node);
    node.forEachChild((child) => visit(child, inside));
  };
  visit(source, false);
  // Nested places would be written over each other.
  const apart: Change[] = [];
  for (const change of found.sort((a, b) => a.start - b.start)) {
    if ((apart.at(-1)?.end ?? -1) <= change.start) apart.push(change);
  }
  return apart;
}

/** A change of behaviour in code that tests should cover; undefined where the file has nothing to turn round. */
export function logicBreak(
  ts: TypescriptApi,
  id: number,
  area: string,
  file: string,
  text: string,
): Break | undefined {
  const all = changesIn(ts, file, text);
  if (all.length === 0) return undefined;
  // Spread over the file: one function that no test calls must not decide alone.
  const step = Math.max(1, Math.floor(all.length / AT_MOST));
  const chosen = all.filter((_, index) => index % step === 0).slice(0, AT_MOST);
  const shown = chosen.map(
    ({ start, end, line, with: to }) =>
      `line ${line}: ${text.slice(start, end).slice(0, 40)} → ${to.slice(0, 40)}`,
  );
  return {
    id,
    area,
    kind: 'logic',
    file,
    edit: shown.join('; '),
    marker: undefined,
    apply: (current) =>
      chosen
        .toReversed()
        .reduce(
          (result, change) => result.slice(0, change.start) + change.with + result.slice(change.end),
          current,
        ),
  };
}
