import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Proof } from '../../../shared/gate-report.ts';
import { written } from '../../testing/written.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const LINT = `import { readFileSync } from 'node:fs';
const bad = ['src/covered.js', 'src/covered.test.js'].filter((file) => /debugger/.test(readFileSync(file, 'utf8')));
for (const file of bad) console.error(file + ': debugger');
process.exit(bad.length > 0 ? 1 : 0);
`;
const FILES = {
  'package.json': JSON.stringify({
    name: 'x',
    private: true,
    type: 'module',
    scripts: { lint: 'node lint.mjs', test: 'node --test' },
  }),
  'lint.mjs': LINT,
  'src/covered.js': 'export const bigger = (a, b) => a > b;\n',
  'src/covered.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { bigger } from './covered.js';\ntest('bigger', () => assert.ok(bigger(2, 1)));\n",
  'other/alone.js': 'export function half(a) {\n  return a - 2;\n}\n',
};

describe.runIf(process.platform !== 'win32')('headway gate prove', () => {
  it('tells which breaks the gate catches, by which step, and which it does not, and puts everything back', async () => {
    const repo = place.repository('repo', FILES);
    const { exit, lines, stderr } = await place.run('gate', 'prove', '--repo', repo);
    const proof = lines.find(({ type }) => type === 'proof') as unknown as Proof;
    expect(proof, stderr).toMatchObject({ provable: true, restored: true });
    expect(exit).toBe(1);
    const cells = proof.cells.map(
      ({ area, break: kind, result, step }) => `${area} ${kind}: ${step ?? result}`,
    );
    expect(cells.filter((line) => !line.endsWith('not-applicable'))).toEqual([
      '. lint: missed',
      '. import: lint',
      'other lint: missed',
      'other import: missed',
      'other logic: missed',
      'src lint: lint',
      'src import: test',
      'src logic: test',
      'src (tests) lint: lint',
      'src (tests) import: test',
      'src (tests) assertion: test',
    ]);
    expect(
      proof.cells.filter(({ result }) => result === 'missed').every(({ why }) => (why ?? '') !== ''),
    ).toBe(true);
    // Eleven breaks, and the gate as it was, in fewer runs than breaks.
    expect(proof.gateRuns).toBeLessThan(11);
  });

  it('puts the files back when Ctrl-C ends it in the middle of a break, and says so', async () => {
    const waiting = join(place.root, 'waiting');
    // Sleeps where it sees that something is broken.
    const lint = `import { readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync('src/covered.js', 'utf8');
if (text !== ${JSON.stringify(FILES['src/covered.js'])}) {
  writeFileSync(${JSON.stringify(waiting)}, process.cwd());
  setInterval(() => {}, 1000);
}
console.log('1 file looked at');
`;
    const repo = place.repository('repo', { ...FILES, 'lint.mjs': lint });
    const running = place.start('gate', 'prove', '--repo', repo);
    const ended = running.finished.then(({ stderr }) => Promise.reject(new Error(stderr)));
    const slot = await Promise.race([written(waiting), ended]);
    ended.catch(() => undefined);
    expect(readFileSync(join(slot, 'src/covered.js'), 'utf8')).not.toBe(FILES['src/covered.js']);
    running.child.kill('SIGINT');
    const { exit, error } = await running.finished;
    expect(exit).toBe(130);
    expect(error).toEqual({
      type: 'error',
      code: 'cancelled',
      message: 'The proof was cancelled; the tree is as it was.',
    });
    expect(readFileSync(join(slot, 'src/covered.js'), 'utf8')).toBe(FILES['src/covered.js']);
    expect(place.git(slot, 'status', '--porcelain')).toBe('');
    expect(readdirSync(join(place.home, 'tmp'))).toEqual([]);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('proves nothing with a gate that is not green to begin with', async () => {
    const repo = place.repository('red', { ...FILES, 'lint.mjs': 'process.exit(1);\n' });
    const { exit, lines } = await place.run('gate', 'prove', '--repo', repo, '--area', 'src');
    expect(exit).toBe(1);
    expect(lines.at(-1)).toMatchObject({
      provable: false,
      cells: [],
      reason: expect.stringContaining('lint'),
    });
  });
});
