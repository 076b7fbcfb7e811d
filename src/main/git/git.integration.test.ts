import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { git } from './git.ts';

it('an error names what git was asked for, not the settings that were given along', async () => {
  const asked = git(['-c', 'a.b=c', '-c', 'd.e=f', 'ls-remote', '--', '/there/is/none'], { cwd: tmpdir() });
  await expect(asked).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringMatching(/^git ls-remote: /),
  });
});
