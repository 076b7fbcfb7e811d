import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable } from './table.js';

test('columns are as wide as their longest cell', () => {
  equal(
    formatTable([
      ['file', 'size'],
      ['a.txt', '3'],
    ]),
    'file   size\na.txt  3\n',
  );
});

test('no rows make no text', () => {
  equal(formatTable([]), '');
});
