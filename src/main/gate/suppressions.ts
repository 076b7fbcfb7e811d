import { isTestFile } from './gate-files.ts';

/** Comments that keep a checker from looking at a whole file. */
const WHOLE_FILE =
  /^\s*(\/\/|\/\*+|#|<!--)\s*(@ts-nocheck\b|eslint-disable\s*(\*\/|--|$)|biome-ignore-all\b|oxlint-disable\s*(\*\/|$)|tslint:disable\s*(\*\/|$)|mypy:\s*ignore-errors|type:\s*ignore\s*$|ruff:\s*noqa|flake8:\s*noqa|pylint:\s*skip-file|standard-disable\b)/;
/** Ways to keep tests from running, or all but one. */
const SKIPS =
  /\b(describe|it|test|suite|context)\.(skip|only|todo|fixme|skipIf|runIf|failing|fails)\s*[(.`]|\b(xit|xdescribe|xtest|fit|fdescribe)\s*\(|\bt\.(skip|todo)\(|\bthis\.skip\(|\{\s*(skip|todo|only)\s*:|@(pytest\.mark\.(skip|skipif|xfail)|unittest\.skip)|\bpytest\.skip\(|\bt\.Skip(Now|f)?\(|^\s*#\[ignore/;

/** What `git log -G` or a reader may ask for first: a cheap pattern that holds whatever the two above match. */
export const MAY_SUPPRESS =
  'nocheck|disable|ignore|noqa|skip|only|todo|fixme|runIf|failing|fails|xit|xdescribe|xtest|fit|fdescribe|xfail|Skip';

/**
 * Pure: the files in whose patch (with no context lines) a line was added that hides a file from a checker or keeps tests from
 * running. Sorted.
 */
export function addedSuppressions(patch: string): string[] {
  const found = new Set<string>();
  let file: string | undefined;
  for (const line of patch.split('\n')) {
    if (line.startsWith('+++ '))
      file = line.startsWith('+++ b/') ? line.slice(6).replace(/\t$/, '') : undefined;
    else if (line.startsWith('+') && file !== undefined) {
      const added = line.slice(1);
      if (WHOLE_FILE.test(added) || (isTestFile(file) && SKIPS.test(added))) found.add(file);
    }
  }
  return [...found].sort();
}
