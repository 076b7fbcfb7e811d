import { describe, expect, it } from 'vitest';
import { addFiles } from '../start/ticket-template.ts';
import { parsePreferences } from '../state/preferences.ts';
import { boundGauge } from '../strip/gauge-facts.ts';
import { testJob } from '../test-data.ts';
import { stageReport, stageShares } from './stage-report.ts';

describe('the report', () => {
  it('gives medians per stage and the share of fixed overhead', () => {
    const report = stageReport([
      testJob('a', { queuedMs: 10, stages: { slot: 1, checkout: 2, install: 7, agent: 80, gate: 10 } }),
      testJob('b', { queuedMs: 30, stages: { slot: 1, checkout: 2, agent: 97 } }),
      testJob('never-ran', { queuedMs: 999 }),
    ]);
    expect(report.jobs).toBe(2);
    expect(report.rows.find((row) => row.stage === 'agent')).toMatchObject({
      jobs: 2,
      medianMs: 80,
      totalMs: 177,
    });
    expect(report.rows.find((row) => row.stage === 'queue')).toMatchObject({ totalMs: 40, share: undefined });
    expect(report.overheadMedianMs).toBe(3);
    expect(report.overheadShare).toBeCloseTo(0.065);
  });

  it('has no shares for a job without time', () => {
    expect(stageShares(testJob('a', { stages: { slot: 0 } }))).toEqual([]);
  });
});

it('names the gauge of the limit that binds: the queue, where policy holds jobs apart below its cap', () => {
  const policy = { name: 'policy' as const, why: '' };
  expect(boundGauge({ binds: policy, jobs: { running: 4, limit: 4 } })).toBe('running');
  expect(boundGauge({ binds: policy, jobs: { running: 1, limit: 4 } })).toBe('queue');
  expect(boundGauge({ binds: { name: 'memory', why: '' }, jobs: { running: 1, limit: 4 } })).toBe('ram');
  expect(boundGauge({ binds: undefined, jobs: { running: 4, limit: 4 } })).toBeUndefined();
});

it('numbers ticket files of the same name', () => {
  const files = addFiles(
    [{ name: 'a.md', text: '1' }],
    [
      { name: 'a.md', text: '2' },
      { name: 'a.md', text: '3' },
    ],
  );
  expect(files.map((file) => file.name)).toEqual(['a.md', 'a-2.md', 'a-3.md']);
});

it('reads damaged preferences as the defaults', () => {
  expect(parsePreferences('{"fontSizePx":900,"screenReader":"yes"}')).toEqual({
    screenReader: false,
    fontSizePx: 12,
  });
  expect(parsePreferences('nonsense')).toEqual({ screenReader: false, fontSizePx: 12 });
});
