/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/**
 * What vitest's JSON report counted. A file that could not be loaded ran no test, yet it is a failure.
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: unknown[] }[] }} report
 * @returns {Counts}
 */
function vitestCounts(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * What Playwright's JSON report counted. A flaky test failed at least once.
 * @param {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number }, errors: unknown[] }} report
 * @returns {Counts}
 */
function playwrightCounts(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped };
}

/**
 * @param {'vitest' | 'playwright'} runner
 * @param {string} json
 * @returns {Counts}
 */
export function readCounts(runner, json) {
  const report = JSON.parse(json);
  return runner === 'vitest' ? vitestCounts(report) : playwrightCounts(report);
}

/**
 * @param {Counts[]} all
 * @returns {string}
 */
export function countsLine(all) {
  const sum = (key) => all.reduce((total, counts) => total + counts[key], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
