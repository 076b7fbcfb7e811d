import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.ts';

describe('childEnvironment', () => {
  it('drops the tools of the installation it runs from, and keeps those of the user', () => {
    const root = join('/', 'opt', 'app');
    const PATH = [
      join(root, 'node_modules', '.bin'),
      join('/', 'opt', 'node_modules', '.bin'),
      join('/', 'lib', 'node_modules', 'npm', 'node_modules', '@npmcli', 'run-script', 'lib', 'node-gyp-bin'),
      join('/', 'home', 'u', 'tools', 'node_modules', '.bin'),
      join('/', 'usr', 'bin'),
    ].join(delimiter);
    const env = childEnvironment({}, { source: { PATH }, installRoot: join(root, 'out', 'main') });
    expect(env.PATH?.split(delimiter)).toEqual([
      join('/', 'home', 'u', 'tools', 'node_modules', '.bin'),
      join('/', 'usr', 'bin'),
    ]);
  });

  it('lets through what a person named, and nothing else', () => {
    const source = { PATH: '/bin', MY_TOKEN: 'a', OTHER: 'b', GIT_DIR: 'c' };
    expect(childEnvironment({ X: '1' }, { source, also: ['MY_TOKEN'] })).toEqual({
      PATH: '/bin',
      MY_TOKEN: 'a',
      X: '1',
    });
  });
});
