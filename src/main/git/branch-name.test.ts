import { describe, expect, it } from 'vitest';
import { assertBranchName } from './branch-name.ts';

describe('the name of a branch', () => {
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
    'refs/heads/main',
    'heads/main',
    '$(id)',
    'a`id`',
    'a;b',
    'a&b',
    "a'b",
    'a"b',
    'a*',
    'a~1',
    'a/-x',
    'x'.repeat(201),
  ])('is refused when it is %j', (name) => {
    expect(() => assertBranchName(name)).toThrow(/can't name a branch: /);
  });

  it.each(['headway/job-1', 'feat-x', 'a.b/c_d', 'größe', 'fix/#12', 'refsheet'])('may be %s', (name) => {
    expect(() => assertBranchName(name)).not.toThrow();
  });
});
