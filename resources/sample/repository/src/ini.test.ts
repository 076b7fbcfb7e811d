import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { parseIni } from './ini.js';

test('keys belong to the section above them', () => {
  deepEqual(parseIni('[server]\nhost = example.org\nport=8080\n'), {
    server: { host: 'example.org', port: '8080' },
  });
});

test('keys ahead of the first section belong to the unnamed one', () => {
  deepEqual(parseIni('debug\n[a]\nx=1\n'), { '': { debug: '' }, a: { x: '1' } });
});
