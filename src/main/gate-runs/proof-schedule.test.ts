import { describe, expect, it } from 'vitest';
import type { Cause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { createProofSchedule, dueProofs } from './proof-schedule.ts';

const job = (id: string, repoId: string, state: Job['state'], cause?: Cause): Job =>
  ({ id, repoId, state, ...(cause ? { cause } : {}) }) as Job;
const waits = (kind: 'missing' | 'stale'): Cause => ({ code: 'needs-proof', lack: { kind } });
const HOLES: Cause = { code: 'needs-proof', lack: { kind: 'holes', breaks: 1 } };
const NONE: ReadonlySet<string> = new Set();

describe('a proof that nobody has to start', () => {
  it('is due for each repository whose jobs wait for one, while nothing runs', () => {
    const jobs = [
      job('a', 'one', 'held', waits('missing')),
      job('b', 'one', 'held', waits('stale')),
      job('c', 'two', 'held', waits('stale')),
      job('d', 'three', 'held', { code: 'held-by-person' }),
      job('e', 'four', 'held', HOLES),
      job('f', 'five', 'merged'),
    ];
    expect(dueProofs(jobs, NONE)).toEqual([
      { repoId: 'one', jobIds: ['a', 'b'] },
      { repoId: 'two', jobIds: ['c'] },
    ]);
    expect(dueProofs([...jobs, job('g', 'five', 'running')], NONE)).toEqual([]);
  });

  it('is started once for each job, whatever becomes of it', () => {
    const jobs = [job('a', 'one', 'held', waits('missing'))];
    const started: string[] = [];
    const schedule = createProofSchedule({
      jobs: () => jobs,
      repository: (id) => ({ id, path: '/r', name: 'r', base: 'main' }) as never,
      proofs: {
        start: async ({ id }) => {
          started.push(id);
          return { repoId: id, running: true, fresh: false };
        },
      },
      onProblem: (thrown) => {
        throw thrown;
      },
    });
    schedule.look();
    schedule.look();
    expect(started).toEqual(['one']);
    jobs.push(job('b', 'one', 'held', waits('stale')));
    schedule.look();
    expect(started).toEqual(['one', 'one']);
  });
});
