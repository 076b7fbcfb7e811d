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

it('names what was staged in the clone while the job ran, and holds the job for it', async () => {
  const repo = place.repository('repo', FILES);
  const result = await run(repo, [{ run: `echo x > ${repo}/src/b.ts && git -C ${repo} add src/b.ts` }]);
  expect(result.summary.A).toMatchObject({ state: 'held', cause: { code: 'uncommitted-work' } });
  expect(evidence(result.summary).drift).toEqual(['index: new src/b.ts']);
});
