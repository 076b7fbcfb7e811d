import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from './duration.js';

test('units are added up', () => {
  equal(parseDuration('1h 30m'), 5_400_000);
  equal(parseDuration('250ms'), 250);
});

test('what is no duration is undefined', () => {
  for (const text of ['', '12', '3 parsecs', 'soon', '1h later']) equal(parseDuration(text), undefined, text);
});

test('a duration is written with the fewest units', () => {
  equal(formatDuration(5_400_000), '1h 30m');
  equal(formatDuration(0), '0ms');
});
