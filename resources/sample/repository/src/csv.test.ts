import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from './csv.js';

test('a line is a row and commas separate its fields', () => {
  deepEqual(parseCsv('name,age\nada,36\n'), [
    ['name', 'age'],
    ['ada', '36'],
  ]);
});

test('empty fields are kept', () => {
  deepEqual(parseCsv('a,,c\n,,\n'), [
    ['a', '', 'c'],
    ['', '', ''],
  ]);
});
