import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_STATES, type Job, type JobState } from '../../shared/domain.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { NewJob, Store } from '../store/store.ts';
import { queuedJob } from '../store/testing/queued-job.ts';
import { actOnJob, type JobAction } from './actions.ts';

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-actions-'));
  store = openSqliteStore(join(dir, 'headway.db'));
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const repository = { id: 'r', path: '/r', gitDir: '/r/.git', name: 'r', base: 'main', addedAt: 1 };
const act = (action: JobAction, gateChange?: string): Promise<Job> =>
  actOnJob(
    action,
    'a',
    { store, repository: () => repository, user: 'ada', now: () => 9, changeHash: async () => 'seen' },
    gateChange,
  );

/** A job in this state, running ones by a claim. */
async function inState(state: JobState, more: Partial<NewJob> = {}): Promise<void> {
  await store.jobs.insert([queuedJob('a', more)]);
  if (state === 'running') {
    await store.jobs.claim('a', { runnerId: 'one', atMs: 2, knownRunning: new Set() });
  } else if (state !== 'queued') {
    await store.jobs.transition('a', ['queued'], { state, cause: { code: 'held-by-person' } });
  }
}

const NO = undefined;
/** What each action makes of each state; `NO`: it is refused. */
const TABLE: Record<JobAction, Record<JobState, JobState | undefined>> = {
  cancel: {
    ...{ queued: 'cancelled', running: 'cancelled', held: 'cancelled' },
    ...{ merged: NO, failed: NO, cancelled: NO },
  },
  reopen: { queued: NO, running: NO, held: 'queued', merged: NO, failed: 'queued', cancelled: 'queued' },
  hold: { queued: 'held', running: NO, held: NO, merged: NO, failed: NO, cancelled: NO },
  release: { queued: NO, running: NO, held: 'queued', merged: NO, failed: NO, cancelled: NO },
};

describe('what a person may do with a job', () => {
  it.each(
    (Object.keys(TABLE) as JobAction[]).flatMap((action) =>
      JOB_STATES.map((state) => [action, state, TABLE[action][state]] as const),
    ),
  )('%s of a %s one: %s', async (action, state, after) => {
    await inState(state);
    const before = await store.jobs.get('a');
    if (after === undefined) {
      await expect(act(action)).rejects.toMatchObject({
        code: 'not-allowed',
        message: expect.stringContaining(`a is ${state}`),
      });
      expect(await store.jobs.get('a')).toEqual(before);
      return;
    }
    expect((await act(action)).state).toBe(after);
    expect((await store.jobs.get('a'))?.state).toBe(after);
  });

  it('ends the attempt of a cancelled one, whose late words are refused', async () => {
    await inState('running');
    await act('cancel');
    const lease = { jobId: 'a', attempt: 1, runnerId: 'one' };
    expect(await store.jobs.lost([lease])).toEqual([lease]);
    expect(await store.jobs.update(lease, { state: 'failed' })).toBeUndefined();
    expect((await store.jobs.attempts('a')).map(({ outcome }) => outcome)).toEqual(['cancelled']);
  });

  it('judges a reopened one by the files that it really changed, whatever its text named', async () => {
    const work = { base: 'b', head: 'h' };
    await inState('failed', {
      claim: { kind: 'paths', paths: ['prose.ts'], from: 'text' },
      files: ['src/real.ts'],
      work,
      approved: true,
    });
    const job = await act('reopen');
    expect(job.claim).toEqual({ kind: 'paths', paths: ['src/real.ts'], from: 'changed' });
    expect([job.work, job.approved, job.verdict, job.endedAt]).toEqual([NO, NO, NO, NO]);
  });

  it('releases a change of the gate only with the hash of exactly that change', async () => {
    await inState('held');
    const tampered = {
      state: 'held' as const,
      cause: { code: 'tampered' as const, files: ['headway.yaml'] },
    };
    await store.jobs.transition('a', ['held'], tampered);
    for (const none of [undefined, '', 'another']) {
      await expect(act('release', none)).rejects.toMatchObject({ code: 'not-allowed' });
      expect(await store.jobs.get('a')).toMatchObject({ state: 'held', cause: { code: 'tampered' } });
    }
    expect(await act('release', 'seen')).toMatchObject({ state: 'queued', approved: true });
  });

  it('takes the release of a change that needs a yes for that yes, and no other release', async () => {
    await inState('held');
    expect((await act('release')).approved).toBeUndefined();
    await store.jobs.transition('a', ['queued'], { state: 'held', cause: { code: 'needs-approval' } });
    expect((await act('release')).approved).toBe(true);
  });
});
