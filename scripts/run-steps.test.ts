import { expect, test } from 'vitest';
import { runSteps } from './run-steps.mjs';

const STEPS = ['lint', 'unit', 'end-to-end'].map((name) => ({ name }));

async function runWith(
  exits: Record<string, number>,
  endsAfter: (result: { exit: number }) => boolean = () => false,
) {
  const ran: string[] = [];
  const ended = await runSteps(
    STEPS,
    async (step) => {
      ran.push(step.name);
      return { step, exit: exits[step.name] ?? 0, ms: 1000 };
    },
    { endsAfter },
  );
  return { ...ended, ran };
}

test('a part that fails does not keep the others from running, and is named at the end', async () => {
  const { ran, lines, exitCode } = await runWith({ lint: 2, unit: 1 });
  expect(ran).toEqual(['lint', 'unit', 'end-to-end']);
  expect(lines).toEqual([
    'lint              1.0 s  failed (exit 2)',
    'unit              1.0 s  failed (exit 1)',
    'end-to-end        1.0 s  ok',
    '',
    'failed: lint, unit',
  ]);
  expect(exitCode).toBe(1);
});

test('what did not run after the last one is said, and nothing failed is exit 0', async () => {
  const stopped = await runWith({ unit: 1 }, (result) => result.exit !== 0);
  expect(stopped.ran).toEqual(['lint', 'unit']);
  expect(stopped.lines[2]).toContain('not run');
  expect(stopped.exitCode).toBe(1);
  expect((await runWith({})).exitCode).toBe(0);
});
