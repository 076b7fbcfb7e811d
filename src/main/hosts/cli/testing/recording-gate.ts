import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './headway.ts';

/**
 * A gate that writes down the tree of the files that it really saw, whatever index or HEAD say. Returns the command and
 * what it has seen so far.
 */
export function recordingGate(place: Place): { command: string; seen(): string[] } {
  const log = join(place.root, 'gated');
  const script = place.write(
    'recording-gate.mjs',
    `import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, GIT_INDEX_FILE: index } }).trim();
const index = process.env.TMPDIR + '/seen-' + process.pid;
git('read-tree', 'HEAD');
git('add', '-A', '.');
const tree = git('write-tree');
rmSync(index, { force: true });
appendFileSync(${JSON.stringify(log)}, tree + '\\n');
console.log('saw', tree);
`,
  );
  return {
    command: `node ${script}`,
    seen: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

/**
 * Trees that became the base's by Headway since `from` and that the gate never saw: of every first-parent commit that
 * carries a job's trailer, or merges one.
 */
export function landedUngated(place: Place, repo: string, from: string, seen: readonly string[]): string[] {
  const rows = place.git(
    repo,
    'log',
    '--first-parent',
    '--format=%T%x1f%(trailers:key=Headway-Job,valueonly,separator=%x2c)',
    `${from}..main`,
  );
  return rows.split('\n').flatMap((row) => {
    const [tree = '', job = ''] = row.split('\u001f');
    return job === '' || seen.includes(tree) ? [] : [tree];
  });
}
