import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateResult } from '../../shared/domain.ts';
import { childEnvironment } from '../processes/environment.ts';
import { type GateOptions, runGate } from './run-gate.ts';

describe.runIf(process.platform !== 'win32')('runGate', () => {
  let cwd: string;
  let shown: string;
  const gate = (commands: string[], more: Partial<GateOptions> = {}): Promise<GateResult> =>
    runGate({
      steps: commands.map((command, index) => ({ name: `step ${index + 1}`, command, timeoutMs: 60_000 })),
      cwd,
      env: childEnvironment(),
      commit: 'c0ffee',
      output: (bytes) => {
        shown += Buffer.from(bytes).toString('utf8');
      },
      ...more,
    });

  beforeEach(async () => {
    shown = '';
    cwd = await mkdtemp(join(tmpdir(), 'headway-gate-'));
  });
  afterEach(async () => {
    await rm(cwd, { recursive: true, force: true });
  });

  it('is green only when every step is, and shows headings around their output', async () => {
    await writeFile(join(cwd, 'a.txt'), 'x');
    const result = await gate(['test -f a.txt', 'printf "no line end"; test "$CI" = 1']);
    expect(result).toMatchObject({ verdict: 'green', commit: 'c0ffee', reason: '2 steps green' });
    expect(result.steps.map(({ exit, verdict }) => [exit, verdict])).toEqual([
      [0, 'green'],
      [0, 'green'],
    ]);
    expect(shown).toMatch(/▶ step 1 {2}test -f a\.txt\r\n✓ step 1 {2}\d/);
    expect(shown).toMatch(/no line end\r\n✓ step 2/);
  });

  it('stops at the first step that is not green and says nothing of the rest', async () => {
    const states: string[] = [];
    const result = await gate(['test -d .', 'echo why >&2; exit 3', 'touch later'], {
      onStep: (step, state) => states.push(`${step.name} ${state.phase}`),
    });
    expect(result).toMatchObject({ verdict: 'red', reason: 'step 2: exit 3' });
    expect(result.steps).toHaveLength(2);
    expect(result.steps[1]).toMatchObject({ exit: 3, tail: 'why' });
    expect(existsSync(join(cwd, 'later'))).toBe(false);
    expect(states).toEqual(['step 1 running', 'step 1 ended', 'step 2 running', 'step 2 ended']);
    expect(shown).toContain('✗ step 2');
  });

  it('is ungated without steps', async () => {
    expect(await gate([])).toMatchObject({ verdict: 'ungated', steps: [] });
    expect(shown).toContain('UNGATED');
  });

  it.each([
    ['no-such-program --x', 'broken'],
    ['npm run no-such-script', 'broken'],
    ['echo fine', 'vacuous'],
    ['npm test', 'vacuous'],
    ['npm run unit', 'green'],
    ['[ -t 1 ] || [ -t 0 ] || exit 4', 'red'],
  ])('judges %j %s', async (command, verdict) => {
    await writeFile(
      join(cwd, 'package.json'),
      JSON.stringify({ scripts: { test: 'node x.js || true', unit: 'node --test a.test.mjs' } }),
    );
    await writeFile(join(cwd, 'a.test.mjs'), "import test from 'node:test'; test('a', () => {});");
    expect((await gate([command])).verdict).toBe(verdict);
  });

  it('reads a real runner: passed, failed, all skipped, nothing to run', async () => {
    const verdictOf = async (source: string | undefined): Promise<string> => {
      await rm(join(cwd, 'a.test.mjs'), { force: true });
      if (source !== undefined)
        await writeFile(join(cwd, 'a.test.mjs'), `import test from 'node:test'; ${source}`);
      const { steps } = await gate([`"${process.execPath}" --test '*.test.mjs'`]);
      return `${steps[0]?.verdict} ${steps[0]?.evidence.testsPassed} ${steps[0]?.reason}`;
    };
    expect(await verdictOf("test('a', () => {}); test('b', () => {});")).toBe('green 2 2 passed');
    expect(await verdictOf("test('a', () => { throw new Error('no'); });")).toBe(
      'red 0 1 test failed (exit 1)',
    );
    expect(await verdictOf("test.skip('a', () => {});")).toBe('vacuous 0 all 1 tests were skipped');
    expect(await verdictOf(undefined)).toMatch(/^vacuous 0 no test was executed$/);
  });

  it('ends a step that takes too long, with all that it started', async () => {
    const result = await runGate({
      steps: [{ name: 'hang', command: 'sleep 300 & sleep 301', timeoutMs: 200 }],
      cwd,
      env: childEnvironment(),
      commit: 'c',
    });
    expect(result).toMatchObject({ verdict: 'broken', steps: [{ exit: null, verdict: 'broken' }] });
  });

  it('throws cancelled when it is aborted', async () => {
    const controller = new AbortController();
    const running = gate(['sleep 300'], { signal: controller.signal, onStart: () => controller.abort() });
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('keeps the end of a flood, redacted', async () => {
    const result = await gate(
      ['i=0; while [ $i -lt 20000 ]; do echo "line $i secret"; i=$((i+1)); done; exit 1'],
      {
        redact: (text) => text.replaceAll('secret', '•••'),
      },
    );
    const tail = result.steps[0]?.tail ?? '';
    expect(tail).toMatch(/line 19999 •••$/);
    expect(tail.length).toBeLessThan(4100);
    expect(tail).not.toContain('secret');
  });
});
