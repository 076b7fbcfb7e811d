/*
 * Everything that must hold, in order, the quick ones first: node scripts/test.mjs [--keep-going] [STEP…]
 * Each step is a script of package.json, so that it does the same when it is run alone.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  const keepGoing = given.includes('--keep-going');
  const chosen = given.filter((argument) => argument !== '--keep-going');
  const unknown = chosen.find((argument) => !names.includes(argument));
  if (unknown !== undefined) {
    console.error(`${unknown}: no such step; there are ${names.join(', ')}, and --keep-going`);
    process.exit(2);
  }
  return { keepGoing, steps: STEPS.filter((step) => chosen.length === 0 || chosen.includes(step.name)) };
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

/** The exit code; output goes straight through. */
function run(command, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { cwd: ROOT, env, shell: true, stdio: 'inherit' });
    const forward = (signal) => child.kill(signal);
    process.on('SIGTERM', forward);
    process.once('SIGINT', () => {}); // the child gets it from the terminal as well; its end is ours
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', forward);
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

const { keepGoing, steps } = readArguments();
mkdirSync(REPORTS, { recursive: true });
const results = [];
for (const step of steps) {
  const result = await runStep(step);
  results.push(result);
  if (result.exit !== 0 && !keepGoing) break;
}

console.log('\n=== summary ===\n');
for (const step of steps) {
  const result = results.find((each) => each.step === step);
  const state = result === undefined ? 'not run' : result.exit === 0 ? 'ok' : `failed (exit ${result.exit})`;
  const time = result === undefined ? '' : `${(result.ms / 1000).toFixed(1)} s`;
  console.log(`${step.name.padEnd(14)}${time.padStart(9)}  ${state}`);
}
const failed = results.filter((result) => result.exit !== 0);
if (failed.length > 0) console.log(`\nfailed: ${failed.map((result) => result.step.name).join(', ')}`);
console.log(`\n${countsLine(results.flatMap((result) => result.counts ?? []))}`);
process.exitCode = failed.length > 0 ? 1 : 0;
