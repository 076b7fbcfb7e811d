import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeText, splitLines } from './text.js';

test('every kind of line end becomes LF', () => {
  equal(normalizeText('a\r\nb\rc\n'), 'a\nb\nc\n');
});

test('a final line end begins no further line', () => {
  deepEqual(splitLines('a\n\nb\n'), ['a', '', 'b']);
  deepEqual(splitLines(''), []);
});
