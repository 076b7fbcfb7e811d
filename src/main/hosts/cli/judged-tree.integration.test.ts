import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const CHECK =
  "import { readFileSync } from 'node:fs';\nif (readFileSync('src/a.ts', 'utf8') === '') process.exit(1);\nconsole.log('1 file holds');\n";
const run = (policy: string, steps: readonly unknown[]) => {
  const repo = place.repository('repo', {
    'src/a.ts': 'a\n',
    'lock.yaml': '1\n',
    'check.mjs': CHECK,
    'write.mjs': `${CHECK}import { writeFileSync } from 'node:fs';\nwriteFileSync('lock.yaml', '2\\n');\n`,
    'headway.yaml': policy,
  });
  const tickets = place.tickets('tickets', { A: scripted({ id: 'A', paths: ['src/a.ts'] }, steps) });
  return place.run('run', '--repo', repo, '--tickets', tickets);
};
const change = { append: { path: 'src/a.ts', content: 'A\n' } };

it('holds a job whose gate changed the files that it judged', async () => {
  const result = await run('gate: [node write.mjs, node check.mjs]\n', [change]);
  expect(result.summary.A).toMatchObject({ state: 'held', verdict: 'vacuous', cause: { code: 'vacuous' } });
  expect(result.summary.A?.reason).toContain('lock.yaml changed while node write.mjs ran');
});

it('lets a gate write what the policy calls generated, and counts no straying for it', async () => {
  const result = await run('gate: [node write.mjs, node check.mjs]\ngenerated: [lock.yaml]\n', [
    change,
    { write: { path: 'lock.yaml', content: '3\n' } },
  ]);
  expect(result.summary.A).toMatchObject({ state: 'merged', strayed: [], files: ['lock.yaml', 'src/a.ts'] });
});

it('gives the gate nothing of what the agent left beside its commit', async () => {
  const result = await run('gate: [node check.mjs]\n', [
    { write: { path: '.gitignore', content: 'made\n' } },
    { run: 'rm -rf .git/info && git add -A && git commit -qm all' },
    { write: { path: 'src/a.ts', content: '' } },
    { run: 'git update-index --assume-unchanged src/a.ts' },
  ]);
  expect(result.summary.A).toMatchObject({ state: 'failed', cause: { code: 'gate-red' } });
});

it('gives the gate the packages as they were installed, whatever the agent wrote into them', async () => {
  const repo = place.repository('repo', {
    'src/a.ts': 'a\n',
    '.gitignore': 'node_modules\n',
    'install.mjs':
      "import { cpSync } from 'node:fs';\ncpSync('tool.mjs', 'node_modules/tool/index.mjs', { recursive: true });\n",
    'tool.mjs': CHECK,
    'headway.yaml': 'setup: node install.mjs\ngate: [node node_modules/tool/index.mjs]\n',
  });
  const tickets = place.tickets('tickets', {
    A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
      { write: { path: 'src/a.ts', content: '' } },
      {
        run: 'f=node_modules/tool/index.mjs; touch -r $f t; echo "console.log(\'1 file holds\')" > $f; touch -r t $f; rm t',
      },
    ]),
  });
  const result = await place.run('run', '--repo', repo, '--tickets', tickets);
  expect(result.summary.A).toMatchObject({ state: 'failed', cause: { code: 'gate-red' } });
});
