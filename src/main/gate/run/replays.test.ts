import { describe, expect, it } from 'vitest';
import type { GateStep } from '../../../shared/domain.ts';
import { judgeStep } from './judge-step.ts';
import { replaysIn } from './replays.ts';

const TURBO = ' Tasks:    5 successful, 5 total\nCached:    2 cached, 5 total\n  Time:    1.2s\n';

describe('tasks replayed from a cache', () => {
  it.each([
    ['turbo', TURBO, 2, 5],
    ['turbo', `${TURBO}${TURBO}`, 4, 10],
    [
      'nx',
      ' NX   Successfully ran target test for 3 projects\n\nNx read the output from the cache instead of running the command for 1 out of 3 tasks.\n',
      1,
      3,
    ],
    ['moon', 'Tasks: 3 completed (2 cached)\n Time: 10ms\n', 2, 3],
    ['wireit', '✅ Ran 1 script and skipped 4 in 0.3s.\n', 4, 5],
  ])('are counted as %s says', (tool, text, replayed, total) => {
    expect(replaysIn(text)).toEqual({ tool, replayed, total });
  });

  it.each([
    'Cached:    0 cached, 5 total',
    'Tasks: 3 completed',
    '✅ Ran 5 scripts and skipped 0 in 2s.',
    'cached',
  ])('are none where %j', (text) => {
    expect(replaysIn(text)).toBeUndefined();
  });

  const judge = (output: string, more: Partial<GateStep> = {}) =>
    judgeStep(
      { name: 'check', command: 'turbo run check', timeoutMs: 1000, ...more },
      { status: 'exited', exit: 0, durationMs: 1, output, outputBytes: output.length },
      {},
    );

  it('are not taken for a run, unless the step says what it reads; then they are told', () => {
    expect(judge(TURBO)).toMatchObject({
      verdict: 'vacuous',
      reason: expect.stringContaining("2 of 5 tasks were replayed from turbo's cache"),
    });
    expect(judge(TURBO, { reads: ['src/**'] })).toMatchObject({
      verdict: 'green',
      reason: "exit 0; 2 of 5 tasks were replayed from turbo's cache",
    });
  });

  it('prove nothing where they are all, whatever the step says', () => {
    const all = TURBO.replace('2 cached', '5 cached');
    expect(judge(all, { reads: ['src/**'] })).toMatchObject({
      verdict: 'vacuous',
      reason: "all 5 tasks were replayed from turbo's cache; nothing was run",
    });
  });
});
