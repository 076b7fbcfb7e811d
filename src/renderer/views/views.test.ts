import { describe, expect, it } from 'vitest';
import type { Finding, ProofCell } from '../../shared/gate-report.ts';
import { addFiles } from '../start/ticket-template.ts';
import { parsePreferences } from '../state/preferences.ts';
import { boundGauge } from '../strip/gauge-facts.ts';
import { testJob } from '../test-data.ts';
import { auditSummary, orderFindings, wireable } from './audit-summary.ts';
import { branchFor, keptName } from './kept-name.ts';
import { proofMatrix, proofSummary } from './proof-matrix.ts';
import { stageReport, stageShares } from './stage-report.ts';

describe('the report', () => {
  it('gives medians per stage and the share of fixed overhead', () => {
    const report = stageReport(
      [
        testJob('a', { queuedMs: 10, stages: { slot: 1, checkout: 2, install: 7, agent: 80, gate: 10 } }),
        testJob('b', { queuedMs: 30, stages: { slot: 1, checkout: 2, agent: 97 } }),
        testJob('never-ran', { queuedMs: 999 }),
      ],
      0,
    );
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

  it('counts what a running job does now like what it has done', () => {
    const running = testJob('a', {
      ...{ state: 'running', stage: 'agent', startedAt: 1_000, stages: { slot: 100, install: 300 } },
    });
    const report = stageReport([running], 21_400);
    expect(report.rows.find((row) => row.stage === 'agent')).toMatchObject({ jobs: 1, totalMs: 20_000 });
    expect(report.overheadShare).toBeCloseTo(400 / 20_400);
    // A clock that was set back takes nothing away.
    expect(stageReport([running], 0).rows.find((row) => row.stage === 'agent')).toMatchObject({ totalMs: 0 });
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

describe('a proof', () => {
  const cell = (area: string, kind: ProofCell['break'], result: ProofCell['result']): ProofCell => ({
    area,
    break: kind,
    file: `${area}/a.ts`,
    edit: '',
    result,
  });

  it('is a matrix of areas against the kinds of break that were thought of, in their fixed order', () => {
    const { breaks, rows } = proofMatrix([
      cell('src', 'logic', 'missed'),
      cell('src', 'type', 'caught'),
      cell('test', 'type', 'caught'),
    ]);
    expect(breaks).toEqual(['type', 'logic']);
    expect(rows.map(({ area }) => area)).toEqual(['src', 'test']);
    expect(rows[0]?.cells.get('logic')?.[0]?.result).toBe('missed');
    expect(rows[1]?.cells.has('logic')).toBe(false);
  });

  it('is summed up without what does not apply', () => {
    expect(proofSummary([cell('a', 'type', 'caught'), cell('a', 'build', 'not-applicable')])).toBe(
      '1 of 1 breaks caught',
    );
    expect(proofSummary([cell('a', 'type', 'caught'), cell('a', 'lint', 'missed')])).toBe(
      '1 of 2 breaks caught, 1 missed',
    );
    expect(proofSummary([cell('a', 'build', 'not-applicable')])).toBe('no break could be tried');
  });
});

describe('an audit', () => {
  const finding = (overrides: Partial<Finding>): Finding => ({
    kind: 'no-build',
    severity: 'warning',
    title: '',
    files: [],
    why: '',
    fix: { kind: 'advice', text: '' },
    hidesWork: false,
    ...overrides,
  });
  const step = { name: 'build', run: 'npm run build' };
  const policy = { kind: 'policy' as const, text: '', addSteps: [step] };

  it('shows what matters first and what is accepted last', () => {
    const given = [
      finding({ severity: 'info' }),
      finding({ severity: 'error', accepted: 'known' }),
      finding({ severity: 'warning' }),
      finding({ severity: 'error' }),
    ];
    expect(orderFindings(given)).toEqual([given[3], given[2], given[0], given[1]]);
  });

  it('counts neither notes nor what is accepted', () => {
    expect(auditSummary([finding({ severity: 'info' })])).toBe('nothing to mend');
    expect(
      auditSummary([finding({ hidesWork: true }), finding({ accepted: 'known', hidesWork: true })]),
    ).toBe('1 finding; 1 hides work, so the gate is not called green; 1 accepted');
  });

  it('offers each step once, and none for what is accepted', () => {
    expect(wireable([finding({ fix: policy }), finding({ fix: policy })])).toEqual(['npm run build']);
    expect(wireable([finding({ fix: policy, accepted: 'known' })])).toEqual([]);
  });
});

describe('kept work', () => {
  const kept = {
    ref: 'refs/headway/kept/s-1',
    repoId: 'r',
    commit: 'abcdef0123',
    at: 0,
    files: [],
    fileCount: 0,
  };

  it('is known by its ticket, else by its ref', () => {
    expect(keptName({ ...kept, landed: false, ticketId: 'T1', title: 'Mend it' })).toBe('T1 Mend it');
    expect(keptName({ ...kept, landed: false })).toBe('s-1');
  });

  it('gets a branch name that git takes, whatever the ticket is called', () => {
    expect(branchFor({ ...kept, landed: false, ticketId: 'T 1: ~weird..' })).toBe(
      'recovered/t-1-weird-abcdef0',
    );
    expect(branchFor({ ...kept, landed: false, ticketId: '修正' })).toBe('recovered/abcdef0');
  });
});
