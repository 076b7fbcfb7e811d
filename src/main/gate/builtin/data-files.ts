import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import { toError } from '../../../shared/errors.ts';
import { type BuiltinResult, type BuiltinTree, lineOf, type Problem } from './problems.ts';

/** Files that are read as JSON with comments by the tools that they are for. */
const WITH_COMMENTS =
  /\.(jsonc|json5|code-workspace)$|(^|\/)([tj]sconfig[\w.-]*\.json|\.vscode\/.*\.json|\.eslintrc(\.json)?|devcontainer\.json|\.swcrc|\.babelrc|api-extractor\.json|turbo\.json|knip\.json|biome\.json|deno\.json|rush\.json)$/;

/** Pure: JSON, YAML and TOML that do not parse. */
export function checkDataFiles(tree: BuiltinTree): BuiltinResult {
  const problems: Problem[] = [];
  let count = 0;
  for (const path of tree.files) {
    if (
      !/\.(json|jsonc|ya?ml|toml)$/i.test(path) ||
      /(^|\/)(fixtures?|__fixtures__|testdata|templates?)\//.test(path)
    )
      continue;
    const text = tree.read(path);
    if (text === undefined) continue;
    count += 1;
    const found = /\.toml$/i.test(path)
      ? tomlProblem(text)
      : /\.ya?ml$/i.test(path)
        ? yamlProblem(text)
        : jsonProblem(text, WITH_COMMENTS.test(path));
    if (found) problems.push({ path, ...found });
  }
  return { problems, looked: `${count} data files`, count };
}

type Found = { line: number; message: string } | undefined;

/** The first fault that a reader of JSON, with or without comments, sees; undefined where it sees none. */
function firstFault(text: string, comments: boolean): Found {
  const faults: ParseError[] = [];
  try {
    parseJsonc(text, faults, {
      disallowComments: !comments,
      allowTrailingComma: comments,
      allowEmptyContent: comments,
    });
  } catch (thrown) {
    // It calls itself for each bracket.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { line: 1, message: 'nested too deeply' };
  }
  const [fault] = faults;
  return fault && { line: lineOf(text, fault.offset), message: words(fault) };
}

/** `CommaExpected` is "comma expected". */
const words = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();

function jsonProblem(given: string, comments: boolean): Found {
  const text = given.replace(/^\uFEFF/, '');
  if (comments) {
    const fault = firstFault(text, true);
    return fault && { line: fault.line, message: `is not JSON: ${fault.message}` };
  }
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    // What it says names no line in every case.
    const message = `is not JSON: ${toError(thrown).message.split('\n')[0]}`;
    return { line: firstFault(text, false)?.line ?? 1, message };
  }
}

function tomlProblem(text: string): Found {
  try {
    parseToml(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [what = ''] = thrown.message.split('\n');
    return {
      line: thrown.line,
      message: `is not TOML: ${what.replace(/^Invalid TOML document: /, '')}`,
    };
  }
}

function yamlProblem(text: string): Found {
  // Tags of other programs (CloudFormation, mkdocs) are theirs to know.
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
  if (!Array.isArray(documents)) return undefined;
  for (const { errors } of documents) {
    const [error] = errors;
    if (error) return { line: lineOf(text, error.pos[0]), message: `is not YAML: ${error.message}` };
  }
  return undefined;
}
