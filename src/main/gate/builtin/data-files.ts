import { parseAllDocuments } from 'yaml';
import { type BuiltinResult, type BuiltinTree, lineOf, type Problem } from './problems.ts';
import { tomlProblem } from './toml.ts';

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

function jsonProblem(text: string, comments: boolean): Found {
  const plain = comments ? withoutComments(text) : text.replace(/^\uFEFF/, '');
  if (comments && plain.trim() === '') return undefined;
  try {
    JSON.parse(plain);
    return undefined;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const at = /position (\d+)/.exec(message)?.[1];
    const line =
      /line (\d+)/.exec(message)?.[1] ?? (at === undefined ? undefined : lineOf(plain, Number(at)));
    return {
      line: Number(line ?? plain.split('\n').length),
      message: `is not JSON: ${message.split('\n')[0]}`,
    };
  }
}

/** Comments become spaces and commas before a closing bracket go, so that places stay. */
function withoutComments(text: string): string {
  const bare = text
    .replace(/^\uFEFF/, '')
    .replace(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
      part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
    );
  return bare.replace(/"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
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
