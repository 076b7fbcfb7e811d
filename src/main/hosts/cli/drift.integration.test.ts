import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const FILES = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' };
const GATE = 'node -e "console.log(1)"';
const run = (repo: string, steps: readonly unknown[]) =>
  place.run(
    'run',
    '--repo',
    repo,
    '--no-wait',
    '--gate',
    GATE,
    '--tickets',
    place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
        ...steps,
        { append: { path: 'src/a.ts', content: 'A\n' } },
      ]),
    }),
  );
const evidence = (summary: Record<string, unknown>) => {
  const { drift, notes } = summary.A as { drift: string[]; notes: string[] };
  return { drift, notes };
};

it("names what an agent changed in the user's clone, and merges nothing of it", async () => {
  const repo = place.repository('repo', FILES);
  const git = `git -C ${repo}`;
  const result = await run(repo, [
    {
      run: [
        `${git} config core.pager evil`,
        `${git} branch planted`,
        `${git} tag v9`,
        `echo x >> ${repo}/src/b.ts && ${git} stash -q`,
        `echo exit > ${repo}/.git/hooks/post-merge`,
      ].join(' && '),
    },
  ]);
  expect(result.summary.A?.state).toBe('merged');
  expect(evidence(result.summary).drift).toEqual([
    'config: new local core.pager',
    'refs: new refs/heads/planted, refs/tags/v9',
    'stash: changed',
    'hooks: new post-merge',
  ]);
});

it('says nothing where only Headway moved the base, and tells of hooks that do not run in slots', async () => {
  const repo = place.repository('repo', FILES);
  mkdirSync(join(repo, '.husky/_'), { recursive: true });
  writeFileSync(join(repo, '.git/info/exclude'), '.husky/_\n');
  writeFileSync(join(repo, '.husky/_/pre-commit'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(repo, '.husky/_/pre-commit'), 0o755);
  place.git(repo, 'config', 'core.hooksPath', '.husky/_');
  const result = await run(repo, []);
  expect(result.summary.A?.state).toBe('merged');
  expect(evidence(result.summary)).toEqual({
    drift: [],
    notes: [expect.stringMatching(/hooks of your clone do not run in slots \(pre-commit/)],
  });
});

it("names commits on the user's base and branches that Headway did not land, with their authors", async () => {
  const repo = place.repository('repo', FILES);
  const commit = (author: string, subject: string) =>
    `git -c user.name=${author} -c user.email=${author}@example.invalid -C ${repo} commit -q --allow-empty -m "${subject}"`;
  const result = await place.run(
    ...['run', '--repo', repo, '--gate', GATE, '--tickets'],
    place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
        { run: `${commit('mallory', 'straight to main')}; git -C ${repo} branch old main~1` },
        {
          run: `git -C ${repo} checkout -q -b side; ${commit('eve', 'beside')}; git -C ${repo} checkout -q main`,
        },
        { append: { path: 'src/a.ts', content: 'A\n' } },
      ]),
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, [{ append: { path: 'src/b.ts', content: 'B\n' } }]),
    }),
  );
  expect(result.summary.A?.state).toBe('merged');
  expect(result.summary.B?.state).toBe('merged');
  const at = (revision: string) => place.git(repo, 'rev-parse', revision).slice(0, 10);
  const main = place.git(repo, 'log', '--format=%H', '--author=mallory', 'main').slice(0, 10);
  expect(evidence(result.summary).drift).toEqual([
    'refs: new refs/heads/old, refs/heads/side',
    `main: ${main} by mallory <mallory@example.invalid>, not landed by Headway: straight to main`,
    `side: ${at('side')} by eve <eve@example.invalid>, not landed by Headway: beside`,
  ]);
});

it('says what mends a clone whose configuration an agent broke', async () => {
  const repo = place.repository('repo', FILES);
  const result = await run(repo, [{ run: `git -C ${repo} config core.bare maybe` }]);
  expect(result.summary.A?.state).not.toBe('merged');
  const remedy = `git -C / config --file ${repo}/.git/config --unset-all core.bare`;
  expect(evidence(result.summary).drift).toEqual([expect.stringContaining(remedy)]);
  expect(result.summary.A?.reason).toContain(remedy);
});

it('names what was staged in the clone while the job ran, and holds the job for it', async () => {
  const repo = place.repository('repo', FILES);
  const result = await run(repo, [{ run: `echo x > ${repo}/src/b.ts && git -C ${repo} add src/b.ts` }]);
  expect(result.summary.A).toMatchObject({ state: 'held', cause: { code: 'uncommitted-work' } });
  expect(evidence(result.summary).drift).toEqual(['index: new src/b.ts']);
});

it('says where the base is behind the branch that it follows, and starts from it as it is', async () => {
  const repo = place.repository('repo', FILES);
  const origin = join(place.root, 'origin.git');
  place.git(repo, 'init', '-q', '--bare', '-b', 'main', origin);
  place.git(repo, 'remote', 'add', 'origin', origin);
  place.git(repo, 'push', '-q', '-u', 'origin', 'main');
  const base = place.git(repo, 'rev-parse', 'main');
  place.git(repo, 'commit', '-q', '--allow-empty', '-m', 'of a colleague');
  place.git(repo, 'push', '-q', 'origin', 'main');
  place.git(repo, 'fetch', '-q');
  place.git(repo, 'reset', '-q', '--hard', base);
  // Nobody is asked: an address that answers never would hang.
  place.git(repo, 'remote', 'set-url', 'origin', 'ssh://git@127.0.0.1:1/x.git');
  const result = await run(repo, []);
  expect(result.summary.A).toMatchObject({
    state: 'merged',
    notes: [
      expect.stringMatching(
        /^main is 1 commit behind origin\/main, as of the last fetch \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\): jobs start from main as it is$/,
      ),
    ],
  });
  expect(place.git(repo, 'rev-parse', 'main~1')).toBe(base);
});
