import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GIT_IDENTITY } from './git-identity.ts';

test('a test can commit on a machine where git knows nobody', () => {
  const fresh = {
    ...process.env,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  for (const role of ['AUTHOR', 'COMMITTER'] as const) {
    const person = execFileSync('git', ['var', `GIT_${role}_IDENT`], {
      cwd: '/',
      env: fresh,
      encoding: 'utf8',
    });
    expect(person).toContain(GIT_IDENTITY[`GIT_${role}_EMAIL`]);
  }
});

test('the run on a fresh machine sets nothing of git that such a machine lacks', () => {
  const script = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8');
  expect(script).toContain('npm test');
  expect(script).not.toMatch(/GIT_|git config|\bHOME=/);
});
