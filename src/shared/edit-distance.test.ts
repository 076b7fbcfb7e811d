import { expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

test('a slip of the fingers is one step: a letter more, less, other, or two swapped', () => {
  for (const [a, b, steps] of [
    ['run', 'run', 0],
    ['rnu', 'run', 1],
    ['ru', 'run', 1],
    ['rune', 'run', 1],
    ['ran', 'run', 1],
    ['rnu', 'env', 2],
    ['', 'run', 3],
  ] as const) {
    expect(editDistance(a, b)).toBe(steps);
    expect(editDistance(b, a)).toBe(steps);
  }
});
