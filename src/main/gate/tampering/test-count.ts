import { isPlainTest } from '../run/plain-test.ts';
import { isTestFile } from './gate-files.ts';

const SCRIPT = /\.[cm]?[jt]sx?$/;
/** What declares one test, by the language of the file. */
const DECLARES: readonly (readonly [RegExp, RegExp])[] = [
  [SCRIPT, /(?<![\w.$])(?:it|test|specify)(?:\.\w+)*\s*[(`<]/g],
  [/\.py$/, /^[ \t]*(?:async[ \t]+)?def[ \t]+test\w*/gm],
  [/\.go$/, /^func[ \t]+(?:Test|Fuzz|Example)\w*\(/gm],
  [/\.rs$/, /#\[(?:\w+::)*test\b/g],
  [/\.rb$/, /^[ \t]*(?:it|specify|test|def[ \t]+test_)\b/gm],
  [/\.(java|kt|cs|scala)$/, /@(?:Test|ParameterizedTest|Theory)\b|\[(?:Test|Fact|Theory)\b/g],
];

/** Comments hold no tests; one that begins inside a line may as well be a glob in a string. */
const withoutComments = (text: string): string =>
  text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/^[ \t]*(\/\/|#(?!\[)).*$/gm, '');

/** Pure: how many tests a file declares, as its text shows them; one that asserts without any is one itself. */
export function testCount(path: string, text: string | undefined): number {
  const pattern = DECLARES.find(([file]) => file.test(path))?.[1];
  if (!pattern || text === undefined) return 0;
  const declared = withoutComments(text).match(pattern)?.length ?? 0;
  return declared === 0 && SCRIPT.test(path) && isPlainTest(text) ? 1 : declared;
}

/**
 * Pure: the test files that declare fewer tests than before, where the change as a whole declares fewer: what moves to another file is
 * not lost.
 */
export function fewerTests(
  changed: readonly string[],
  before: (path: string) => string | undefined,
  after: (path: string) => string | undefined,
): string[] {
  let sum = 0;
  const fewer: string[] = [];
  for (const path of changed.filter(isTestFile)) {
    const difference = testCount(path, after(path)) - testCount(path, before(path));
    sum += difference;
    if (difference < 0) fewer.push(path);
  }
  return sum < 0 ? fewer : [];
}
