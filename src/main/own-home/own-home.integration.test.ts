import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';
import { makeOwnHome } from './own-home.ts';
import { userHome } from './user-settings.ts';

let root: string;
const home = () => join(root, 'person');
const of = () => userHome({ HOME: home() });
const write = (path: string, text: string): void => writeFileSync(join(home(), path), text);
const own = (path: string): string => readFileSync(join(root, 'own', path), 'utf8');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-own-home-'));
  mkdirSync(home());
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a home of its own', () => {
  it('has no setting that was written after the first look, but renewed logins', async () => {
    write('.npmrc', 'registry=https://r.example/\n//r.example/:_authToken=old\n');
    await makeOwnHome(join(root, 'first'), of());
    write('.npmrc', 'registry=https://other.example/\nscript-shell=/bin/true\n//r.example/:_authToken=new\n');
    await makeOwnHome(join(root, 'own'), of());
    expect(own('.npmrc')).toBe('registry=https://r.example/\n//r.example/:_authToken=new\n');
  });

  it('leads to installed tools and stores of packages, and to nothing else', async () => {
    for (const path of ['.rustup', '.npm/_cacache', '.npm/_npx', '.cache/go-build'])
      mkdirSync(join(home(), path), { recursive: true });
    write('.bashrc', 'exit 0\n');
    await makeOwnHome(join(root, 'own'), of());
    expect(lstatSync(join(root, 'own', '.rustup')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(root, 'own', '.npm', '_cacache')).isSymbolicLink()).toBe(true);
    for (const path of ['.npm/_npx', '.cache/go-build', '.bashrc'])
      expect(existsSync(join(root, 'own', path)), path).toBe(false);
  });

  it.runIf(process.platform !== 'win32')(
    'keeps npm, git and shells from what an agent wrote into the real one',
    async () => {
      write('.gitconfig', '[user]\n\tname = Me\n\temail = me@example.invalid\n[alias]\n\tlook = !exit 7\n');
      const env = await makeOwnHome(join(root, 'own'), of());
      write('.npmrc', 'script-shell=/bin/true\nnode-options=--no-such-option\n');
      write('.bash_profile', 'exit 0\n');
      writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { test: 'exit 3' } }));
      const result = async (shell: string) =>
        run({ command: { shell }, cwd: root, env: childEnvironment({ ...env, NODE_OPTIONS: '' }) });
      expect((await result('npm test')).exit).toBe(3);
      expect((await result('git config user.name && ! git look 2>/dev/null')).stdout).toBe('Me\n');
      if (existsSync('/bin/bash')) expect((await result('bash -lc "exit 4"')).exit).toBe(4);
    },
  );
});
