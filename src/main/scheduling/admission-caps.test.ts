import { describe, expect, it } from 'vitest';
import { CapBook } from './admission-caps.ts';
import type { AdmissionJob } from './admission-conflicts.ts';

const job = (user: string | undefined, repoId = 'r', waitsToMerge = false): AdmissionJob =>
  ({ user, repoId, waitsToMerge }) as never;

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
    for (const repoId of ['low', 'high']) caps.count(job('ada', repoId), 1);
    expect(caps.causeOf(job('ada', 'low'))).toEqual({ code: 'cap', scope: 'repository', limit: 1 });
    expect(caps.isRepoFull(job('ada', 'high'))).toBe(false);
    caps.count(job('bo', 'high'), 1);
    expect(caps.isRepoFull(job('ada', 'high'))).toBe(true);
  });

  it('give the seat of a job that waits to merge to another, as often as there are seats', () => {
    const caps = new CapBook({ machine: 2, repository: 9, user: 2 });
    caps.count(job('ada'), 1);
    for (const full of [false, false, true]) {
      caps.count(job('ada', 'r', true), 1);
      expect([caps.isMachineFull(), caps.isUserFull(job('ada')), caps.isUserFull(job('bo'))]).toEqual([
        full,
        full,
        false,
      ]);
    }
    caps.count(job('ada', 'r', true), -1);
    expect(caps.hasRoomFor(job('ada'))).toBe(true);
    caps.count(job('ada'), 1);
    expect(caps.isMachineFull()).toBe(true);
    expect(caps.isRepoFull(job('ada'))).toBe(false);
  });
});
