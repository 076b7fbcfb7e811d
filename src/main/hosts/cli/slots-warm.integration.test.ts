import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './testing/headway.ts';

const json = (value: unknown): string => JSON.stringify(value);

describe('headway slots warm', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(async () => {
    await place.close();
  });

  const warm = (repo: string, ...more: string[]) =>
    place.run('slots', 'warm', '--repo', repo, '--count', '1', ...more);
  const reasonOf = (lines: readonly unknown[]): string =>
    (lines as { type: string; slots?: { reason?: string }[] }[]).find((line) => line.type === 'slots')
      ?.slots?.[0]?.reason ?? '';

  it('does not say ready, nor exit 0, where the install failed, and says why', async () => {
    const repo = place.repository('repo', {
      'package.json': json({ name: 'x', dependencies: { a: '1.0.0' } }),
      'package-lock.json': json({ name: 'x', lockfileVersion: 3, packages: { '': { name: 'x' } } }),
    });
    const { exit, lines } = await warm(repo);
    expect(exit).toBe(1);
    expect(reasonOf(lines)).toContain('install failed: lockfile out of date: package-lock.json');
  });

  it('says of a dependency that is named by a path where nothing is', async () => {
    const repo = place.repository('repo', {
      'package.json': json({ name: 'x', dependencies: { lib: 'file:../lib', own: 'file:own' } }),
      'own/package.json': json({ name: 'own', version: '1.0.0' }),
      'package-lock.json': json({
        name: 'x',
        lockfileVersion: 3,
        packages: {
          '': { name: 'x', dependencies: { lib: 'file:../lib', own: 'file:own' } },
          '../lib': { version: '1.0.0' },
          own: { version: '1.0.0' },
          'node_modules/lib': { resolved: '../lib', link: true },
          'node_modules/own': { resolved: 'own', link: true },
        },
      }),
    });
    const { exit, lines } = await warm(repo);
    expect(exit).toBe(0);
    expect(reasonOf(lines)).toBe(
      'package.json: lib is file:../lib, which leads nowhere (a slot holds the repository alone)',
    );
  });

  it('passes on a variable that the policy names and a person agreed to, and never shows it', async () => {
    const value = 'horse-battery-staple';
    place.env.MY_REGISTRY = value;
    place.env.OTHER_REGISTRY = value;
    const repo = place.repository('repo', {
      'headway.yaml': [
        'setup: test -n "$MY_REGISTRY" && test -z "$OTHER_REGISTRY" && echo "Error for $MY_REGISTRY" && exit 3',
        'gate: [npm test]',
        'passEnv: [MY_REGISTRY]',
      ].join('\n'),
    });
    const { exit, lines, stderr } = await warm(repo, '--trust');
    expect(exit).toBe(1);
    expect(reasonOf(lines)).toMatch(/install failed: .* ended with exit code 3: Error for /);
    expect(json(lines) + stderr).not.toContain(value);
    place.write('repo/headway.yaml', 'gate: [npm test]\npassEnv: [MY_REGISTRY, OTHER_REGISTRY]\n');
    place.git(repo, 'commit', '-qam', 'more');
    const refused = await warm(repo);
    expect(refused.error?.code).toBe('not-allowed');
    expect(json(refused.lines)).toContain('your own OTHER_REGISTRY, for setup, agents and gate');
  });

  it('names a variable that the settings of a package manager lack', async () => {
    const repo = place.repository('repo', {
      'package.json': json({ name: 'x', scripts: { preinstall: 'exit 4' } }),
      'package-lock.json': json({ name: 'x', lockfileVersion: 3, packages: { '': { name: 'x' } } }),
      '.npmrc': `//registry.example.invalid/:_authToken=\${MY_REGISTRY}\n`,
    });
    expect(reasonOf((await warm(repo)).lines)).toContain(
      'settings name MY_REGISTRY, not set here: name it under passEnv in headway.yaml',
    );
  });
});
