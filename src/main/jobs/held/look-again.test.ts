import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { Cause } from '../../../shared/cause.ts';
import type { Job, Repository } from '../../../shared/domain.ts';
import type { JobPorts } from '../ports.ts';
import { LookRound, lookAgain } from './look-again.ts';
import { goesOnByItself } from './outside-causes.ts';

const held = (cause: Cause) => ({ state: 'held', cause }) as Job;

it.each<[boolean, Cause]>([
  [true, { code: 'uncommitted-work', path: '/home/ada/lib', files: ['a'] }],
  [true, { code: 'merge-refused', why: 'a hook', seen: 'mark' }],
  [false, { code: 'merge-refused', why: 'the pull request was closed' }],
  [true, { code: 'base-missing', base: 'main', why: 'gone' }],
  [true, { code: 'disk-full', path: '/', why: 'ENOSPC' }],
  [false, { code: 'needs-approval' }],
  [false, { code: 'tampered', files: ['package.json'] }],
  [false, { code: 'held-by-person', by: 'ada' }],
])('says %s of a held job that may go on without a person: %j', (answer, cause) => {
  expect(goesOnByItself(held(cause))).toBe(answer);
  expect(goesOnByItself({ state: 'failed', cause })).toBe(false);
});

it('finds room on a disk that has some, and asks again where the place is gone', async () => {
  const look = (path: string) =>
    lookAgain(
      held({ code: 'disk-full', path, why: 'ENOSPC' }),
      {} as Repository,
      {} as JobPorts,
      new LookRound(),
    );
  expect(await look(tmpdir())).toBe('gone');
  await expect(look('/nowhere/at/all')).rejects.toThrow('ENOENT');
});

it('looks once in a round at what several jobs have in common', async () => {
  const round = new LookRound();
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  expect(await Promise.all([round.once('a', look), round.once('a', look)])).toEqual([1, 1]);
});
