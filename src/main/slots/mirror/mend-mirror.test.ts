import { expect, it } from 'vitest';
import { looksHalfDone } from './mend-mirror.ts';

it.each([
  "error: cannot lock ref 'refs/heads/main': is at 1234 but expected 5678",
  "fatal: Unable to create '/m/mirror.git/packed-refs.lock': File exists.",
  'fatal: shallow file has changed since we read it',
])('a fetch is tried again where another one was at it: %s', (words) => {
  expect(looksHalfDone(words)).toBe(true);
});

it.each(["fatal: couldn't find remote ref refs/heads/x", 'fatal: not a git repository'])(
  'and not for %s',
  (words) => {
    expect(looksHalfDone(words)).toBe(false);
  },
);
