import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from './bytes.js';

test('a size has the largest unit that leaves a whole part', () => {
  equal(formatBytes(0), '0 B');
  equal(formatBytes(1023), '1023 B');
  equal(formatBytes(1536), '1.5 KiB');
  equal(formatBytes(3 * 1024 ** 3), '3 GiB');
});
