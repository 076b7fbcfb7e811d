/*
 * Everything that must hold, in order, the quick ones first: node scripts/test.mjs [--fail-fast] [STEP…]
 * Each step is a script of package.json, so that it does the same when it is run alone. One that fails does not keep the
 * others from running, unless it is to.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSteps } from './run-steps.mjs';
import { countsLine, readCounts } from './test-counts.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPORTS = join(ROOT, 'node_modules', '.cache', 'test');

/** @type {{ name: string, script: string, runner?: 'vitest' | 'playwright' }[]} */
const STEPS = [
  { name: 'typecheck', script: 'typecheck' },
  { name: 'lint', script: 'lint' },
  { name: 'architecture', script: 'architecture' },
  { name: 'unused', script: 'unused' },
  { name: 'unit', script: 'test:unit', runner: 'vitest' },
  { name: 'integration', script: 'test:integration', runner: 'vitest' },
  { name: 'end-to-end', script: 'test:e2e', runner: 'playwright' },
];

/** The tools of this package come first on the PATH, its Node among them, also where npm did not start us. */
const PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

function readArguments() {
  const names = STEPS.map((step) => step.name);
  const given = process.argv.slice(2);
  const failFast = given.includes('--fail-fast');
  const chosen = given.filter((argument) => argument !== '--fail-fast');
  const unknown = chosen.find((argument) => !names.includes(argument));
  if (unknown !== undefined) {
    console.error(`${unknown}: no such step; there are ${names.join(', ')}, and --fail-fast`);
    process.exit(2);
  }
  return { failFast, steps: STEPS.filter((step) => chosen.length === 0 || chosen.includes(step.name)) };
}

/** The command line of a step; a test runner also writes a report beside what it prints. */
function commandOf(step, report) {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const command = scripts[step.script];
  if (step.runner === 'vitest') {
    return `${command} --reporter=default --reporter=json --outputFile.json="${report}"`;
  }
  return step.runner === 'playwright' ? `${command} --reporter=list,json` : command;
}

/** Whether somebody asked for the end: then no further step begins. */
let isStopped = false;

/** The exit code; output goes straight through. */
function run(command, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { cwd: ROOT, env, shell: true, stdio: 'inherit' });
    const forward = (signal) => {
      isStopped = true;
      child.kill(signal);
    };
    // The child gets it from the terminal as well; its end is ours.
    const interrupted = () => {
      isStopped = true;
    };
    process.on('SIGTERM', forward);
    process.on('SIGINT', interrupted);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', forward);
      process.off('SIGINT', interrupted);
      if (signal) isStopped = true;
      resolve(signal ? 130 : (code ?? 1));
    });
  });
}

async function runStep(step) {
  const report = join(REPORTS, `${step.name}.json`);
  rmSync(report, { force: true });
  console.log(`\n=== ${step.name} ===\n`);
  const startedAt = performance.now();
  const exit = await run(commandOf(step, report), {
    ...process.env,
    PATH,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
  });
  return {
    step,
    exit,
    ms: performance.now() - startedAt,
    counts: step.runner && countsOf(step, report, exit),
  };
}

/** A runner that broke off without a report is a failure of its own. */
function countsOf(step, report, exit) {
  try {
    return readCounts(step.runner, readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: exit === 0 ? 0 : 1, skipped: 0 };
  }
}

const { failFast, steps } = readArguments();
mkdirSync(REPORTS, { recursive: true });
const { results, lines, exitCode } = await runSteps(steps, runStep, {
  endsAfter: (result) => isStopped || (failFast && result.exit !== 0),
});
console.log(`\n=== summary ===\n\n${lines.join('\n')}`);
console.log(`\n${countsLine(results.flatMap((result) => result.counts ?? []))}`);
process.exitCode = exitCode;
