import { describe, expect, it } from 'vitest';
import { assertBranchName } from './git-directory.ts';

describe('the name of a job branch', () => {
  it.each([
    '../x',
    'a..b',
    '-d',
    'a/.b',
    'x.lock',
    'x.lock/y',
    'HEAD',
    '',
    'a b',
    'a\n',
    '/a',
    'a/',
    'a@{1',
    'a\0b',
  ])('is refused when it is %j', (name) => {
    expect(() => assertBranchName(name)).toThrow(/job's branch/);
  });

  it.each(['headway/job-1', 'feat-x', 'a.b/c_d', 'größe'])('may be %s', (name) => {
    expect(() => assertBranchName(name)).not.toThrow();
  });
});
