import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { plainBuiltins } from './plain-builtins.ts';

const code = [
  'import os, { constants, hostname as host } from "node:os";',
  'import { createHash, randomUUID as uuid } from "node:crypto";',
  'import childProcess from "node:child_process";',
  'import other from "other";',
  'console.log(JSON.stringify([typeof os.cpus, typeof constants, host(), uuid().length,',
  '  createHash("sha256").update("a").digest("hex").slice(0, 4), typeof childProcess.spawn, other]));',
].join('\n');

const taken = plainBuiltins().renderChunk(code)?.code ?? '';

test("Node's own modules are taken without an import, others stay, and no line moves", () => {
  const lines = taken.split('\n');
  expect(lines).toHaveLength(code.split('\n').length);
  expect(lines.filter((line) => line.startsWith('import'))).toEqual(['import other from "other";']);
});

test('what was taken is what was imported', () => {
  const script = taken.replace('import other from "other";', 'const other = 1;');
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(['function', 'object', expect.any(String), 36, 'ca97', 'function', 1]);
});

test('a CommonJS package of a start is required', () => {
  const required = plainBuiltins().renderChunk('import Database from "better-sqlite3";')?.code ?? '';
  const script = `${required.replace('import.meta.url', JSON.stringify(import.meta.url))}\nconsole.log(typeof Database);`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('function\n');
});

test('a chunk without them is left as it is', () => {
  expect(plainBuiltins().renderChunk('import a from "./a.js";\nfoo();')).toBeNull();
});
