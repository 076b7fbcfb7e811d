import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { written } from '../../testing/written.ts';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const BAD = '---\nid: A\npath: [a]\n---\ntext\n';

/** A repository whose `npm test` is this command. */
const repository = (): string => place.repository('repo', { a: 'a\n', 'package.json': scripts('node -e 0') });
const scripts = (test: string): string => JSON.stringify({ scripts: { test } });
function changeCommands(repo: string): void {
  place.write('repo/package.json', scripts('node -e 1'));
  place.git(repo, 'commit', '-q', '-a', '-m', 'other commands');
}
const run = (repo: string, text: string, ...more: string[]) =>
  place.run('run', '--repo', repo, '--tickets', place.write('A.md', text), ...more);
const trusts = async (): Promise<number> =>
  (await place.run('audit-log')).lines.filter((line) => 'action' in line && line.action === 'trust').length;

it('agrees to a repository and to a change of its commands with the tickets that are taken, not with those that are refused', async () => {
  const repo = repository();
  const good = scripted({ id: 'A', paths: ['a'] }, [{ append: { path: 'a', content: 'A\n' } }]);
  expect((await run(repo, BAD)).exit).toBe(2);
  expect((await run(repo, BAD, '--trust')).exit).toBe(2);
  expect(await trusts()).toBe(0);
  changeCommands(repo);
  // It never agreed to anything, so this is its first run.
  expect((await run(repo, good)).summary.A).toMatchObject({ state: 'merged', verdict: 'green' });
  expect(await trusts()).toBe(1);

  place.write('repo/package.json', scripts('node -e 2'));
  place.git(repo, 'commit', '-q', '-a', '-m', 'and others again');
  const more = good.replace('id: "A"', 'id: "B"');
  expect((await run(repo, BAD, '--trust')).exit).toBe(2);
  expect((await run(repo, more)).summary.B).toMatchObject({ state: 'held', cause: { code: 'needs-trust' } });
  expect((await run(repo, more, '--trust')).summary.B?.state).toBe('merged');
  expect(await trusts()).toBe(2);
});

it('agrees with --gate to nothing of the repository that is neither shown nor run', async () => {
  const repo = repository();
  const ticket = (id: string): string =>
    scripted({ id, paths: ['a'] }, [{ append: { path: 'a', content: `${id}\n` } }]);
  expect((await run(repo, ticket('A'), '--gate', 'test -f a')).summary.A?.state).toBe('merged');
  expect(await trusts()).toBe(0);
  expect((await run(repo, ticket('B'), '--gate', 'test -f a', '--trust')).summary.B?.state).toBe('merged');
  expect(await trusts()).toBe(1);
});

it('starts nothing that an interrupted run had left where the tickets of the next are refused', async () => {
  const repo = repository();
  const began = join(place.root, 'began');
  const text = scripted({ id: 'A', paths: ['a'] }, [{ run: `echo x >> '${began}'` }, { hang: true }]);
  const left = place.start('run', '--repo', repo, '--tickets', place.write('A.md', text));
  await left.line((line) => line.type === 'job' && line.stage === 'agent');
  await written(began);
  left.child.kill('SIGTERM');
  expect((await left.finished).exit).toBe(130);
  expect((await run(repo, BAD)).exit).toBe(2);
  expect(readFileSync(began, 'utf8')).toBe('x\n');
  const [job] = (await place.run('jobs')).lines.flatMap((line) => ('jobs' in line ? line.jobs : [])) as {
    state: string;
    attempts: number;
  }[];
  expect(job).toMatchObject({ state: 'queued', attempts: 1 });
});
