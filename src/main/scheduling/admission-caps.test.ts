import { describe, expect, it } from 'vitest';
import { CapBook } from './admission-caps.ts';
import type { AdmissionJob } from './admission-conflicts.ts';

/** Of a repository in which so many jobs run. */
const job = (user: string | undefined, running = 0, repoId = 'r'): AdmissionJob =>
  ({ user, repoId, repo: { runningJobs: new Set(Array.from({ length: running }, (_, i) => i)) } }) as never;

describe('the caps', () => {
  it('count the jobs of each user apart, and nobody who is not known', () => {
    const caps = new CapBook({ machine: 9, repository: 9, user: 1 });
    caps.count(job('ada'), 1);
    caps.count(job(undefined), 1);
    expect([
      caps.hasRoomFor(job('ada')),
      caps.hasRoomFor(job('bo')),
      caps.hasRoomFor(job(undefined)),
    ]).toEqual([false, true, true]);
    expect(caps.causeOf(job('ada'))).toEqual({ code: 'cap', scope: 'user', limit: 1 });
    caps.count(job('ada'), -1);
    expect(caps.hasRoomFor(job('ada'))).toBe(true);
  });

  it('begin at nothing when all jobs are counted anew', () => {
    const caps = new CapBook({ machine: 2, repository: 9, user: 1 });
    for (let pass = 0; pass < 3; pass += 1) {
      caps.clear();
      caps.count(job('ada'), 1);
      expect([caps.isMachineFull(), caps.isUserFull(job('ada')), caps.isUserFull(job('bo'))]).toEqual([
        false,
        true,
        false,
      ]);
    }
    caps.clear();
    expect(caps.isUserFull(job('ada'))).toBe(false);
  });

  it('let the policy of a repository lower its own cap and not raise it', () => {
    const caps = new CapBook({ machine: 9, repository: 2, repositories: { low: 1, high: 5 } });
    expect(caps.causeOf(job('ada', 1, 'low'))).toEqual({ code: 'cap', scope: 'repository', limit: 1 });
    expect(caps.isRepoFull(job('ada', 1, 'high'))).toBe(false);
    expect(caps.isRepoFull(job('ada', 2, 'high'))).toBe(true);
  });
});
