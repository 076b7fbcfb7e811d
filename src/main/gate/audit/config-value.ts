import type { Expression, Node, SourceFile } from 'typescript';
import type { Tree } from './commit-tree.ts';
import type { TypescriptApi } from './typescript.ts';

/** Stands where a configuration computes a value: nothing may be concluded from it. */
export const COMPUTED: unique symbol = Symbol('computed');
export type ConfigValue =
  | string
  | number
  | boolean
  | undefined
  | RegExp
  | typeof COMPUTED
  | ConfigValue[]
  | { [key: string]: ConfigValue };

export const isObject = (value: ConfigValue): value is { [key: string]: ConfigValue } =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof RegExp);

/** A key on the way down; undefined where it is not there, COMPUTED where that can't be known. */
export function valueAt(value: ConfigValue, ...keys: string[]): ConfigValue {
  let at = value;
  for (const key of keys) {
    if (at === COMPUTED) return COMPUTED;
    if (!isObject(at)) return undefined;
    const next: ConfigValue = Object.hasOwn(at, key) ? at[key] : undefined;
    at = next === undefined && Object.hasOwn(at, SPREAD) ? COMPUTED : next;
  }
  return at;
}

/** Strings of a list or of a single string; COMPUTED where any part is. */
export function stringsOf(value: ConfigValue): string[] | undefined | typeof COMPUTED {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return COMPUTED;
  const flat = value.flat(5) as ConfigValue[];
  return flat.every((each) => typeof each === 'string') ? flat : COMPUTED;
}

/** Key under which an object remembers that it was spread from something computed. */
const SPREAD = '\0spread';

/** Values that known packages export, so that `...configDefaults.exclude` can be read. */
const KNOWN: Readonly<Record<string, ConfigValue>> = {
  configDefaults: {
    exclude: ['**/node_modules/**', '**/.git/**'],
    include: ['**/*.{test,spec}.?(c|m)[jt]s?(x)'],
  },
  defaultExclude: ['**/node_modules/**', '**/.git/**'],
  defaultInclude: ['**/*.{test,spec}.?(c|m)[jt]s?(x)'],
};

/** The value that a configuration file exports, read and never run; COMPUTED where it is beyond literals. */
export function configValue(ts: TypescriptApi, tree: Tree, path: string, depth = 0): ConfigValue {
  const text = tree.read(path);
  if (text === undefined || depth > 5) return COMPUTED;
  if (/\.(json|jsonc|json5)$|(^|\/)\.[\w-]+rc$/.test(path)) {
    const { config, error } = ts.parseConfigFileTextToJson(path, text);
    return error ? COMPUTED : (config as ConfigValue);
  }
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return new Evaluator(ts, tree, file, depth).exported();
}

class Evaluator {
  readonly #ts: TypescriptApi;
  readonly #tree: Tree;
  readonly #file: SourceFile;
  readonly #depth: number;
  readonly #names = new Map<string, Expression>();
  readonly #imports = new Map<string, { from: string; name: string }>();
  readonly #open = new Set<Node>();
  #result: Expression | undefined;

  constructor(ts: TypescriptApi, tree: Tree, file: SourceFile, depth: number) {
    this.#ts = ts;
    this.#tree = tree;
    this.#file = file;
    this.#depth = depth;
    for (const statement of file.statements) {
      if (ts.isVariableStatement(statement)) {
        for (const { name, initializer } of statement.declarationList.declarations) {
          if (ts.isIdentifier(name) && initializer) this.#names.set(name.text, initializer);
        }
      } else if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
        const from = statement.moduleSpecifier.text;
        const clause = statement.importClause;
        if (clause?.name) this.#imports.set(clause.name.text, { from, name: 'default' });
        if (clause?.namedBindings && ts.isNamedImports(clause.namedBindings)) {
          for (const each of clause.namedBindings.elements) {
            this.#imports.set(each.name.text, { from, name: (each.propertyName ?? each.name).text });
          }
        }
      } else if (ts.isExportAssignment(statement)) this.#result = statement.expression;
      else if (ts.isExpressionStatement(statement) && ts.isBinaryExpression(statement.expression)) {
        if (statement.expression.left.getText() === 'module.exports')
          this.#result = statement.expression.right;
      }
    }
  }

  exported(name = 'default'): ConfigValue {
    const node = name === 'default' ? this.#result : this.#names.get(name);
    return node ? this.#value(node) : COMPUTED;
  }

  #value(node: Node): ConfigValue {
    if (this.#open.has(node)) return COMPUTED;
    this.#open.add(node);
    try {
      return this.#read(node);
    } finally {
      this.#open.delete(node);
    }
  }

  #read(node: Node): ConfigValue {
    const ts = this.#ts;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
    if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
    if (node.kind === ts.SyntaxKind.NullKeyword) return undefined;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
      return this.#value(node.expression);
    }
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) return regExp(node.getText());
    if (ts.isArrayLiteralExpression(node)) {
      return node.elements.flatMap((each): ConfigValue[] => {
        if (!ts.isSpreadElement(each)) return [this.#value(each)];
        const inner = this.#value(each.expression);
        return Array.isArray(inner) ? inner : [COMPUTED];
      });
    }
    if (ts.isObjectLiteralExpression(node)) return this.#object(node);
    if (ts.isIdentifier(node)) return this.#named(node.text);
    if (ts.isPropertyAccessExpression(node)) return valueAt(this.#value(node.expression), node.name.text);
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return this.#returned(node);
    if (ts.isAwaitExpression(node)) return this.#value(node.expression);
    if (ts.isCallExpression(node)) return this.#call(node.expression.getText(), node.arguments);
    return COMPUTED;
  }

  #object(node: Node): ConfigValue {
    const ts = this.#ts;
    if (!ts.isObjectLiteralExpression(node)) return COMPUTED;
    const result: { [key: string]: ConfigValue } = {};
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const inner = this.#value(property.expression);
        if (isObject(inner)) Object.assign(result, inner);
        else result[SPREAD] = COMPUTED;
      } else if (ts.isShorthandPropertyAssignment(property)) {
        result[property.name.text] = this.#named(property.name.text);
      } else if (ts.isPropertyAssignment(property)) {
        const { name } = property;
        if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) {
          result[name.text] = this.#value(property.initializer);
        } else result[SPREAD] = COMPUTED;
      }
    }
    return result;
  }

  #named(name: string): ConfigValue {
    if (name === 'undefined') return undefined;
    const own = this.#names.get(name);
    if (own) return this.#value(own);
    if (Object.hasOwn(KNOWN, name)) return KNOWN[name];
    const imported = this.#imports.get(name);
    if (!imported?.from.startsWith('.')) return COMPUTED;
    const base = new URL(imported.from, `file:///${this.#file.fileName}`).pathname.slice(1);
    const candidates = [
      base,
      ...['ts', 'mts', 'js', 'mjs', 'cjs', 'json'].map((extension) => `${base}.${extension}`),
      base.replace(/\.js$/, '.ts'),
    ];
    const target = candidates.find((path) => this.#tree.has(path));
    if (target === undefined) return COMPUTED;
    if (imported.name === 'default') return configValue(this.#ts, this.#tree, target, this.#depth + 1);
    const text = this.#tree.read(target) ?? '';
    const file = this.#ts.createSourceFile(target, text, this.#ts.ScriptTarget.Latest, true);
    return this.#depth > 4
      ? COMPUTED
      : new Evaluator(this.#ts, this.#tree, file, this.#depth + 1).exported(imported.name);
  }

  #returned(node: Node): ConfigValue {
    const ts = this.#ts;
    if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return COMPUTED;
    if (!ts.isBlock(node.body)) return this.#value(node.body);
    const last = node.body.statements.at(-1);
    return node.body.statements.length === 1 && last && ts.isReturnStatement(last) && last.expression
      ? this.#value(last.expression)
      : COMPUTED;
  }

  #call(name: string, args: readonly Expression[]): ConfigValue {
    const [first] = args;
    if (/^define(Config|Project|Workspace)$|^(tseslint|ts)\.config$|^globalIgnores$|^withNuxt$/.test(name)) {
      if (/config$/i.test(name) && args.length > 1) return args.map((each) => this.#value(each));
      const value = first ? this.#value(first) : COMPUTED;
      return name === 'globalIgnores' ? { ignores: value } : value;
    }
    if (name === 'mergeConfig') return args.map((each) => this.#value(each)).reduce(merge);
    if (
      /^(path\.)?(join|resolve)$/.test(name) &&
      /^(__dirname|import\.meta\.dirname|process\.cwd\(\))$/.test(first?.getText() ?? '')
    ) {
      const parts = args.slice(1).map((each) => this.#value(each));
      return parts.every((part) => typeof part === 'string') ? `./${parts.join('/')}` : COMPUTED;
    }
    return COMPUTED;
  }
}

/** As vite merges: lists are joined, objects key by key. */
function merge(a: ConfigValue, b: ConfigValue): ConfigValue {
  if (a === COMPUTED || b === COMPUTED) return COMPUTED;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (!isObject(a) || !isObject(b)) return b === undefined ? a : b;
  const result: { [key: string]: ConfigValue } = { ...a };
  for (const [key, value] of Object.entries(b))
    result[key] = key in result ? merge(result[key], value) : value;
  return result;
}

function regExp(text: string): ConfigValue {
  const end = text.lastIndexOf('/');
  try {
    return new RegExp(text.slice(1, end), text.slice(end + 1).replace(/[gy]/g, ''));
  } catch {
    return COMPUTED;
  }
}
