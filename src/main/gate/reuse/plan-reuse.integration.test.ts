import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { policyAt } from '../policy/commit-files.ts';
import { planReuse } from './plan-reuse.ts';

const POLICY = `gate:
  - { name: src, run: sh check.sh src, reads: [src], writes: [] }
  - { name: log, run: sh scripts/log.sh, reads: [src], writes: [] }
  - { name: all, run: sh check.sh ., writes: [] }
protect: [rules/**]
`;

let root: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
    encoding: 'utf8',
  }).trim();
function commit(files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-reuse-'));
  git('init', '-q', '-b', 'main');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** The steps whose keys are the same at both commits. */
async function same(
  first: string,
  second: string,
  installed: [string, string] = ['k', 'k'],
): Promise<string[]> {
  const [one, other] = await Promise.all(
    [first, second].map(async (at, index) => {
      const policy = await policyAt({ cwd: root, commit: at });
      const options = { cwd: root, commit: at, base: at, policy, path: '/bin', earlier: [], nowMs: 0 };
      return planReuse({ ...options, installedKey: installed[index] });
    }),
  );
  return [...(one?.keys ?? [])].filter(([name, key]) => other?.keys.get(name) === key).map(([name]) => name);
}

it('takes the same for the same files alone, whatever the commit, unless a step looks at the history', async () => {
  const first = commit({
    'headway.yaml': POLICY,
    'check.sh': 'test -d "$1"\n',
    'scripts/log.sh': 'git log -1\n',
    'src/a.ts': 'a\n',
    'docs/a.md': 'a\n',
    'rules/one.txt': 'a\n',
  });
  expect(await same(first, first)).toEqual(['src', 'log', 'all']);
  expect(await same(first, commit({}))).toEqual(['src', 'all']);
  const prose = commit({ 'docs/a.md': 'b\n', 'README.md': 'b\n' });
  expect(await same(first, prose)).toEqual(['src']);
  expect(await same(first, prose, ['k', 'other'])).toEqual([]);
});

it.each([
  ['a source that it reads', 'src/b.ts', ''],
  ['the program that it starts', 'check.sh', 'test -e "$1"\n'],
  ['a configuration anywhere', 'packages/x/tsconfig.json', '{}'],
  ['a protected file', 'rules/one.txt', 'b\n'],
  ['a file at the top', '.env.test', 'A=1\n'],
  ['the policy', 'headway.yaml', POLICY.replace('sh check.sh src', 'sh check.sh src docs')],
])('takes nothing over when %s changed', async (_what, path, text) => {
  const files = { 'headway.yaml': POLICY, 'check.sh': 'test -d "$1"\n', 'src/a.ts': 'a\n' };
  const first = commit({ ...files, 'rules/one.txt': 'a\n', 'scripts/log.sh': 'true\n' });
  expect(await same(first, commit({ [path]: text }))).toEqual([]);
});
