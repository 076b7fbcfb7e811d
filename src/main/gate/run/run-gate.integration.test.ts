import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateResult } from '../../../shared/domain.ts';
import { StepFaucet } from '../../limits/step-faucet.ts';
import { childEnvironment } from '../../processes/environment.ts';
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
    execFileSync('git', ['init', '--quiet', '--template=', cwd]);
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

  describe('a tracked file that a step touches', () => {
    /** What a test runner would do, which no reading of its command line tells. */
    const program = async (text: string): Promise<string> => {
      await writeFile(join(cwd, '.git', 'program'), text);
      return `sh .git/program && test -d .`;
    };

    beforeEach(async () => {
      await writeFile(join(cwd, 'a.js'), 'wrong\n');
      execFileSync('git', ['add', 'a.js'], { cwd });
    });

    it.each([
      ['mended and put back', 'cp -p a.js b; echo right >a.js; cat b >a.js; touch -r b a.js'],
      ['replaced and put back under its own inode', 'mv a.js b; echo right >a.js; mv b a.js'],
      ['written as it was', 'echo wrong >a.js'],
      ['left as another one', 'echo right >a.js'],
      ['taken away', 'rm a.js'],
    ])('is told: %s', async (_, command) => {
      const result = await gate([await program(command), 'test -d .']);
      expect(result).toMatchObject({ verdict: 'vacuous' });
      expect(result.reason).toContain('a.js changed while step 1 ran');
    });

    it('may be one that the step says it writes, or one that tools write', async () => {
      const step = { name: 'build', command: await program('echo built >a.js'), timeoutMs: 60_000 };
      expect(await gate([], { steps: [{ ...step, writes: ['a.js'] }] })).toMatchObject({ verdict: 'green' });
      expect(await gate([], { steps: [step], generated: ['*.js'] })).toMatchObject({ verdict: 'green' });
      expect(await gate([], { steps: [step] })).toMatchObject({ verdict: 'vacuous' });
    });

    it('is none that a step only reads', async () => {
      expect(await gate(['cat a.js', 'cp a.js b.js'])).toMatchObject({ verdict: 'green' });
    });
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

  describe('with steps that declare what they write', () => {
    const git = (...args: string[]): void =>
      void execFileSync('git', [
        '-C',
        cwd,
        '-c',
        'user.name=T',
        '-c',
        'user.email=t@example.invalid',
        ...args,
      ]);
    const beside = (
      steps: { command: string; reads?: string[]; writes?: string[] }[],
      more: Partial<GateOptions> = {},
    ): Promise<GateResult> =>
      gate([], {
        steps: steps.map((step, index) => ({ name: `step ${index + 1}`, timeoutMs: 60_000, ...step })),
        faucet: new StepFaucet(() => 4),
        ...more,
      });
    /** Waits for a file outside the work tree, so that a step ends only after another one began. */
    const meet = (mine: string, other: string): string =>
      `touch "${cwd}.${mine}"; until [ -e "${cwd}.${other}" ]; do sleep 0.02; done`;

    beforeEach(async () => {
      await writeFile(join(cwd, 'a.txt'), 'as it was\n');
      await writeFile(join(cwd, '.gitignore'), 'dist/\n');
      git('init', '-q');
      git('add', '-A');
      git('commit', '-q', '-m', 'x');
    });
    afterEach(async () => {
      for (const name of ['one', 'two']) await rm(`${cwd}.${name}`, { force: true });
    });

    it('runs them side by side and shows each as a whole, in order', async () => {
      const result = await beside([
        { command: `echo first; ${meet('one', 'two')}; echo first again; test -f a.txt`, writes: [] },
        { command: `echo second; ${meet('two', 'one')}; test -f a.txt`, writes: [] },
      ]);
      expect(result).toMatchObject({ verdict: 'green', reason: '2 steps green' });
      expect(shown.replace(/\d+\.\d s/g, 'T')).toMatch(
        /^▶ step 1 .*\r\nfirst\nfirst again\n✓ step 1 {2}T {2}exit 0 {2}\(beside step 2\)\r\n▶ step 2 .*\r\nsecond\n✓ step 2/,
      );
    });

    it('runs one at a time where there is no room', async () => {
      const steps = [1, 2].map(() => ({
        command: `test ! -e "${cwd}.one" && touch "${cwd}.one" && sleep 0.1 && rm "${cwd}.one"`,
        writes: [],
      }));
      expect((await beside(steps, { faucet: new StepFaucet(() => 1) })).verdict).toBe('green');
    });

    it('ends what runs beside a red step and comes later, and tells of what comes earlier', async () => {
      const later = await beside([
        { command: `${meet('one', 'two')}; exit 3`, writes: [] },
        { command: `touch "${cwd}.two"; sleep 300`, writes: [] },
      ]);
      expect(later).toMatchObject({ verdict: 'red', reason: 'step 1: exit 3', steps: [{ exit: 3 }] });
      expect(shown).not.toContain('step 2  ');
      const earlier = await beside([
        { command: `${meet('one', 'two')}; exit 4`, writes: [] },
        { command: `touch "${cwd}.two"; exit 5`, writes: [] },
      ]);
      expect(earlier).toMatchObject({ reason: 'step 1: exit 4', steps: [{ exit: 4 }] });
    });

    it('ends them all when it is cancelled', async () => {
      const controller = new AbortController();
      const pids: number[] = [];
      const running = beside(
        [1, 2].map(() => ({ command: 'sleep 300', writes: [] })),
        {
          signal: controller.signal,
          onStart: (pid) => {
            pids.push(pid);
            if (pids.length === 2) controller.abort();
          },
        },
      );
      await expect(running).rejects.toMatchObject({ code: 'cancelled' });
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    });

    it.each([
      [
        'a file that git tracks, put back as it was',
        'cp a.txt b; echo x > a.txt; mv b a.txt; test -f a.txt',
        'a.txt',
      ],
      ['a file that git does not know', 'touch new.txt; test -f new.txt', 'new.txt'],
      ['an ignored directory', 'mkdir dist && touch dist/a.js && test -f dist/a.js', 'dist'],
    ])('is vacuous where one of them wrote what it does not declare: %s', async (_what, command, path) => {
      const steps = [
        { command: 'test -f a.txt', writes: [] },
        { command, writes: [] as string[] },
      ];
      const result = await beside(steps);
      expect(result).toMatchObject({
        verdict: 'vacuous',
        reason: expect.stringMatching(`^${path} changed while`),
      });
      git('clean', '-fdxq');
      const declared = await beside([
        { ...steps[0], command: 'true && test -f .gitignore', reads: ['.gitignore'], writes: [] },
        { command, writes: [path] },
      ]);
      expect(declared.verdict).toBe('green');
    });
  });
});
