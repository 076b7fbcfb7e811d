/**
 * @typedef {{ name: string }} Step
 * @typedef {{ step: Step, exit: number, ms: number }} Result
 */

/**
 * Runs the steps one after the other, also past one that fails, until one is the last by the caller's word.
 * @template {Result} R
 * @param {Step[]} steps
 * @param {(step: any) => Promise<R>} run
 * @param {{ endsAfter: (result: R) => boolean }} options
 * @returns {Promise<{ results: R[], lines: string[], exitCode: number }>} the lines say what became of each
 */
export async function runSteps(steps, run, { endsAfter }) {
  /** @type {R[]} */
  const results = [];
  for (const step of steps) {
    const result = await run(step);
    results.push(result);
    if (endsAfter(result)) break;
  }
  const failed = results.filter((result) => result.exit !== 0);
  const lines = steps.map((step) =>
    lineOf(
      step,
      results.find((result) => result.step === step),
    ),
  );
  if (failed.length > 0) lines.push('', `failed: ${failed.map((result) => result.step.name).join(', ')}`);
  return { results, lines, exitCode: failed.length > 0 ? 1 : 0 };
}

/**
 * @param {Step} step
 * @param {Result | undefined} result
 */
function lineOf(step, result) {
  const state = result === undefined ? 'not run' : result.exit === 0 ? 'ok' : `failed (exit ${result.exit})`;
  const time = result === undefined ? '' : `${(result.ms / 1000).toFixed(1)} s`;
  return `${step.name.padEnd(14)}${time.padStart(9)}  ${state}`;
}
