import { describe, expect, it } from 'vitest';
import type { Job, Session } from '../../shared/domain.ts';
import { testJob, testSession } from '../test-data.ts';
import { backgroundSessions, type PlacementInput, placeSessions, sensiblePaneCount } from './placement.ts';
import { paneIds } from './tree.ts';

const sessionsOf = (...sessions: Session[]): ReadonlyMap<string, Session> =>
  new Map(sessions.map((session) => [session.id, session]));
const jobsOf = (...jobs: Job[]): ReadonlyMap<string, Job> => new Map(jobs.map((job) => [job.id, job]));

const place = (input: Partial<PlacementInput>) =>
  placeSessions({
    layout: undefined,
    sessions: sessionsOf(),
    jobs: jobsOf(),
    seen: new Set(),
    focusedId: undefined,
    limit: 2,
    aspect: 1.4,
    ...input,
  });

describe('placing sessions', () => {
  it('opens live sessions oldest first until the grid is full; the rest stay in the background', () => {
    const sessions = sessionsOf(
      testSession('c', { createdAt: 3 }),
      testSession('a', { createdAt: 1 }),
      testSession('b', { createdAt: 2 }),
    );
    const { layout } = place({ sessions });
    expect(paneIds(layout)).toEqual(['a', 'b']);
    expect(backgroundSessions(layout, sessions).map((session) => session.id)).toEqual(['c']);
  });

  it('does not open again what a person closed', () => {
    const sessions = sessionsOf(testSession('a'));
    expect(place({ sessions, seen: new Set(['a']) }).layout).toBeUndefined();
  });

  it("shows a job's next attempt in the pane of the last one", () => {
    const first = place({ sessions: sessionsOf(testSession('a', { jobId: 'j' }), testSession('b')) });
    const sessions = sessionsOf(
      testSession('a', { jobId: 'j', state: 'exited' }),
      testSession('b'),
      testSession('a2', { jobId: 'j', createdAt: 9 }),
    );
    expect(paneIds(place({ ...first, sessions }).layout)).toEqual(['a2', 'b']);
  });

  it('gives the place of the job that ended first to a new one, but not a focused or a failed one', () => {
    const opened = place({
      sessions: sessionsOf(testSession('a'), testSession('b'), testSession('c')),
      limit: 3,
    });
    const sessions = sessionsOf(
      testSession('a', { jobId: 'ja', state: 'exited', endedAt: 1 }),
      testSession('b', { jobId: 'jb', state: 'exited', endedAt: 2 }),
      testSession('c', { jobId: 'jc', state: 'exited', endedAt: 3 }),
      testSession('d', { jobId: 'jd', createdAt: 9 }),
    );
    const jobs = jobsOf(testJob('ja', { state: 'failed' }), testJob('jb', { state: 'merged' }));
    const next = place({ ...opened, sessions, jobs, limit: 3, focusedId: 'b' });
    expect(paneIds(next.layout)).toEqual(['a', 'b', 'd']);
  });

  it('takes away panes of sessions that the engine no longer has', () => {
    const opened = place({ sessions: sessionsOf(testSession('a'), testSession('b')) });
    expect(paneIds(place({ ...opened, sessions: sessionsOf(testSession('b')) }).layout)).toEqual(['b']);
  });

  it('returns the very same layout where nothing changes', () => {
    const sessions = sessionsOf(testSession('a'));
    const opened = place({ sessions });
    expect(place({ ...opened, sessions }).layout).toBe(opened.layout);
  });

  it('opens fewer panes by itself in a small window', () => {
    expect(sensiblePaneCount(1100, 820)).toBe(6);
    expect(sensiblePaneCount(450, 400)).toBe(2);
    expect(sensiblePaneCount(100, 100)).toBe(1);
  });
});
