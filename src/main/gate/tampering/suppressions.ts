import { patchPath } from '../../git/patch-path.ts';
import { isTestFile } from './gate-files.ts';

/** Comments that keep a checker from looking at a whole file. */
const WHOLE_FILE =
  /^\s*(\/\/+|\/\*+|#|<!--)\s*(@ts-nocheck\b|eslint-disable\s*(\*\/|--|$)|biome-ignore-all\b|oxlint-disable\s*(\*\/|$)|tslint:disable\s*(\*\/|$)|mypy:\s*ignore-errors|type:\s*ignore\s*$|ruff:\s*noqa|flake8:\s*noqa|pylint:\s*skip-file|standard-disable\b)/;
/** The same behind code, or on a line of its own in a longer comment. */
const WHOLE_FILE_BEHIND = /\/\*\s*eslint-disable\s*(\*\/|--)|^\s*\*?\s*eslint-disable\s*(\*\/|--|$)/;
/** A declaration that makes every import right. */
const ANY_MODULE = /^\s*declare\s+module\s+['"]\*['"]/;
/** Ways to keep tests from running, or all but one, or from what they do where they are judged. */
const SKIPS =
  /\b(describe|it|test|suite|context)\s*(\.|\[\s*['"`])(skip|only|todo|fixme|skipIf|runIf|failing|fails)\b|\b(xit|xdescribe|xtest|fit|fdescribe)\s*\(|\bt\.(skip|todo)\(|\b(this|ctx|context)\.skip\(|\b(it|test)\s*(\.\w+)*\([^\n]*\(\s*\{[^(){}]*\bskip\b[^(){}]*\}\s*\)\s*=>|\{\s*(skip|todo|only)\s*:|\b(describe|it|test|suite)\s*\([^\n]*,\s*(skip|todo)\s*:\s*(?!false\b)|@(pytest\.mark\.(skip|skipif|xfail)|unittest\.skip)|\bpytest\.(skip|exit)\(|\bt\.Skip(Now|f)?\(|^\s*#\[ignore|^\s*\/\/\s*(go:build|\+build)\b|\bprocess\.env(\.CI\b|\[\s*['"]CI['"])|\b(os\.environ|getenv|Getenv|env::var)[^\n]*['"]CI['"]/;
/** One test that keeps all others from running, whichever file they are in. */
const FOCUSES =
  /^[^'"`]*\b(describe|it|test|suite|context|specify)(\.\w+)*(\.only\s*[.(`]|\[\s*['"`]only)|^[^'"`]*\b(fit|fdescribe|fcontext)\s*\(/;
/** The closing words of a runner, printed by code that is none. */
const FORGES =
  /\b(console\.\w+|std(out|err)\.write|print(ln)?!?|echo|puts)\b.*(\b\d+ passing\b|\bTests:? +\d+ passed\b|[#ℹ] pass \d+|\b\d+ passed in \d|test result: ok\. \d+ passed|\bRan \d+ tests? in\b)/;
/** Ways of a test to end a run, or to say something else than what happened; its text in quotes is only text. */
const ENDS_RUN =
  /^[^'"`]*\bprocess\.(exit|reallyExit)\(\s*(0|undefined)?\s*\)|\bprocess\.(stdout|stderr)\._?write\s*=[^=]|\bprocess\.(on|once|prependListener)\(\s*['"](exit|beforeExit)['"]|\bos\._exit\(|^\s*(sys\.)?(exit|quit)\(\s*0?\s*\)|\bos\.Exit\(\s*0\s*\)/;
/** What a file of pytest's own says about other tests. */
const COLLECTS =
  /\bcollect_ignore|\bpytest_(collect|ignore_collect|collection|itemcollected|runtest|pyfunc_call|report|sessionfinish|terminal_summary|cmdline|load_initial|configure|unconfigure|plugins|exception_interact)/;
/** Code that does something else while it is tested. */
const KNOWS_TESTS =
  /\bprocess\.env(\.|\[\s*['"])(VITEST|JEST_WORKER_ID|NODE_TEST_CONTEXT|HEADWAY_)|\bPYTEST_CURRENT_TEST\b|['"](pytest|unittest)['"]\s+in\s+sys\.modules|\btesting\.Testing\(\)/;

const CODE = /\.([cm]?[jt]sx?|vue|svelte|astro|pyi?|go|rs|rb|php)$/i;

/** What a reader of patches may ask for first: a cheap pattern that holds whatever those above match. */
export const MAY_SUPPRESS =
  'nocheck|pass|Ran|disable|ignore|noqa|skip|only|todo|fixme|runIf|failing|fails|xit|xdescribe|xtest|fit|fdescribe|xfail|Skip|declare|build|env|exit|Exit|quit|stdout|stderr|collect|pytest|VITEST|Testing';

const hidesFile = (line: string): boolean =>
  WHOLE_FILE.test(line) || WHOLE_FILE_BEHIND.test(line) || ANY_MODULE.test(line);

function hides(file: string, line: string, isNew: boolean): boolean {
  if (CODE.test(file) ? hidesFile(line) : !isNew && WHOLE_FILE.test(line)) return true;
  if (isTestFile(file)) return ENDS_RUN.test(line) || (isNew ? FOCUSES : SKIPS).test(line);
  if (/(^|\/)conftest\.py$/.test(file)) return COLLECTS.test(line);
  return CODE.test(file) && (KNOWS_TESTS.test(line) || FORGES.test(line));
}

/**
 * Pure: the files in whose patch (with no context lines) a line was added that hides a file from a checker, keeps tests from
 * running, or lets code know that it is tested. A new test may be skipped as its author likes; what it does to others counts.
 * Sorted.
 */
export function addedSuppressions(patch: string, isNew: (path: string) => boolean = () => false): string[] {
  const found = new Set<string>();
  let file: string | undefined;
  for (const line of patch.split('\n')) {
    if (line.startsWith('+++ ')) file = patchPath(line);
    else if (line.startsWith('+') && file !== undefined && hides(file, line.slice(1), isNew(file)))
      found.add(file);
  }
  return [...found].sort();
}
