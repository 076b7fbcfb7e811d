import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../shared/domain.ts';
import { causeParts } from '../queue/cause-parts.ts';
import { testJob } from '../test-data.ts';
import { changedFiles } from './changed-files.ts';
import { parseDiff } from './diff-lines.ts';
import { waterfall } from './waterfall.ts';

describe('parseDiff', () => {
  it('tells kinds by the hunk counts, so content that looks like a header stays content', () => {
    const { lines, files } = parseDiff(
      [
        'diff --git a/a b.sql b/a b.sql',
        'index 1..2 100644',
        '--- a/a b.sql',
        '+++ b/a b.sql',
        '@@ -1,2 +1,2 @@',
        '--- a comment',
        '+++ b',
        ' kept',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
    expect(lines.map((line) => line.kind)).toEqual([
      ...['file', 'meta', 'hunk', 'removed', 'added', 'same', 'meta'],
    ]);
    expect(files).toEqual([{ path: 'a b.sql', added: 1, removed: 1 }]);
  });

  it('names the new path of a rename and copes with a cut end', () => {
    const { files, lines } = parseDiff(
      'diff --git a/old b/new\nrename from old\nrename to new\n@@ -1 +1,3 @@\n+x',
    );
    expect(files[0]?.path).toBe('new');
    expect(lines.at(-1)).toEqual({ kind: 'added', text: '+x' });
  });

  it('takes an empty diff as nothing', () => {
    expect(parseDiff('')).toEqual({ lines: [], files: [] });
  });
});

describe('waterfall', () => {
  const attempt = (overrides: Partial<Attempt>): Attempt => ({
    jobId: 'j',
    number: 1,
    runnerId: 'r',
    startedAt: 100,
    stages: [],
    gates: [],
    ...overrides,
  });

  it('puts the wait and the stages of an attempt on one axis', () => {
    const bars = waterfall(
      testJob('j', { state: 'merged' }),
      [
        attempt({
          endedAt: 200,
          stages: [
            { stage: 'agent', startedAt: 100, ms: 60 },
            { stage: 'gate', startedAt: 160, ms: 40 },
          ],
        }),
      ],
      999,
    );
    expect(bars.map(({ label, left, width }) => [label, left, width])).toEqual([
      ['queue', 0, 0.5],
      ['agent', 0.5, 0.3],
      ['gate', 0.8, 0.2],
    ]);
  });

  it('lets a running stage grow to now, and ends the open stage of a lost attempt with it', () => {
    const live = waterfall(
      testJob('j', { state: 'running' }),
      [attempt({ stages: [{ stage: 'agent', startedAt: 100 }] })],
      300,
    );
    expect(live.at(-1)).toMatchObject({ live: true, ms: 200 });
    const lost = waterfall(
      testJob('j', { state: 'queued' }),
      [attempt({ endedAt: 150, stages: [{ stage: 'agent', startedAt: 100 }] })],
      300,
    );
    expect(lost.map(({ label, ms, live: isLive }) => [label, ms, isLive])).toEqual([
      ['queue', 100, false],
      ['agent', 50, false],
      ['queue', 150, true],
    ]);
  });
});

it('lists strayed files first and each file once', () => {
  expect(changedFiles({ files: ['b', 'a', 'z'], strayed: ['z'] })).toEqual([
    { path: 'z', strayed: true },
    { path: 'a', strayed: false },
    { path: 'b', strayed: false },
  ]);
});

it('cuts the words of a cause at the ticket that holds the job', () => {
  expect(causeParts({ code: 'related', jobId: 'job-2', ticketId: 'T2', running: true })).toEqual([
    { kind: 'text', text: 'related to ' },
    { kind: 'job', text: 'T2', jobId: 'job-2' },
    { kind: 'text', text: ': not at the same time' },
  ]);
  const url = 'https://forge.example/pull/1';
  expect(causeParts({ code: 'awaits-pull-request', url, merged: false })).toEqual([
    { kind: 'text', text: 'waits for pull request ' },
    { kind: 'link', text: url },
  ]);
  expect(causeParts({ code: 'held-by-person' })).toEqual([{ kind: 'text', text: 'held by a person' }]);
});
