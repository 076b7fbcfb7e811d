/** Tests as the runner itself counted them. */
export type TestCounts = { passed: number; failed: number; skipped: number };

/** Pure: counts from a report in the output itself: the JSON of vitest and jest, or JUnit's XML. */
export function reportCounts(text: string): { runner: string; tests: TestCounts } | undefined {
  const json = (name: string): number | undefined => {
    const found = new RegExp(`"${name}"\\s*:\\s*(\\d+)`).exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const passed = json('numPassedTests');
  if (passed !== undefined) {
    const tests = {
      passed,
      failed: (json('numFailedTests') ?? 0) + (json('numRuntimeErrorTestSuites') ?? 0),
      skipped: (json('numPendingTests') ?? 0) + (json('numTodoTests') ?? 0),
    };
    return { runner: 'JSON', tests };
  }
  // The outermost element sums up; without one each suite counts.
  const all =
    text.match(/<testsuites\b[^>]*\btests="\d+"[^>]*>/g) ??
    text.match(/<testsuite\b[^>]*\btests="\d+"[^>]*>/g);
  if (!all) return undefined;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const tag of all) {
    const value = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag)?.[1] ?? 0);
    const failed = value('failures') + value('errors');
    const skipped = value('skipped') + value('disabled');
    sum.failed += failed;
    sum.skipped += skipped;
    sum.passed += Math.max(0, value('tests') - failed - skipped);
  }
  return { runner: 'JUnit', tests: sum };
}
