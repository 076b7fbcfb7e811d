import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Sandbox } from '../../landing/testing/sandbox.ts';
import { tamperedFiles } from '../tampering/check-tampering.ts';
import { policyAt } from './commit-files.ts';
import { readUserPolicy, userPolicyPath } from './user-policy.ts';

const manifest = (test: string, version = '1.0.0'): string => JSON.stringify({ version, scripts: { test } });

describe('policyAt', () => {
  it('reads each commit for itself and never the work tree', async () => {
    await using sandbox = await Sandbox.create({ 'package.json': manifest('vitest run') });
    const first = await sandbox.tip(sandbox.repo);
    const second = await sandbox.commit(
      sandbox.repo,
      { 'headway.yaml': 'gate: [make check]\n', 'yarn.lock': '' },
      'policy',
    );
    await sandbox.write(sandbox.repo, { 'headway.yaml': 'gate: [true]\n', 'package.json': '{}' });
    const before = await policyAt({ cwd: sandbox.repo, commit: first });
    const after = await policyAt({ cwd: sandbox.repo, commit: second });
    expect(before).toMatchObject({ source: 'default', gate: [{ command: 'npm test' }] });
    expect(after).toMatchObject({ source: 'repository', gate: [{ command: 'make check' }] });
    expect(after.hash).not.toBe(before.hash);
  });
});

describe('tamperedFiles', () => {
  it('compares commits: a weakened script and a deleted test, but no new version and no moved test', async () => {
    await using sandbox = await Sandbox.create({
      'package.json': manifest('vitest run'),
      'src/a.test.ts': 'a test that is long enough to be found again\n'.repeat(5),
      'src/b.test.ts': 'another\n',
    });
    const cwd = await sandbox.slot();
    const base = await sandbox.tip(cwd);
    const policy = await policyAt({ cwd, commit: base });
    await mkdir(join(cwd, 'test'));
    await sandbox.git(cwd, 'mv', 'src/a.test.ts', 'test/a.test.ts');
    const harmless = await sandbox.commit(
      cwd,
      { 'package.json': manifest('vitest run', '2.0.0') },
      'harmless',
    );
    expect(await tamperedFiles({ cwd, base, head: harmless, policy })).toEqual([]);
    await rm(join(cwd, 'src/b.test.ts'));
    const head = await sandbox.commit(cwd, { 'package.json': manifest('vitest run || true') }, 'weaker');
    expect(await tamperedFiles({ cwd, base, head, policy })).toEqual(['package.json', 'src/b.test.ts']);
  });
});

describe('readUserPolicy', () => {
  it('reads the file of that repository, none where there is none, and says what it can not read', async () => {
    await using sandbox = await Sandbox.create();
    const home = sandbox.root;
    expect(await readUserPolicy(home, 'abc')).toBeUndefined();
    await mkdir(join(home, 'policies'));
    await writeFile(userPolicyPath(home, 'abc'), 'gate: [x]\n');
    expect(await readUserPolicy(home, 'abc')).toBe('gate: [x]\n');
    await mkdir(userPolicyPath(home, 'dir'));
    await expect(readUserPolicy(home, 'dir')).rejects.toMatchObject({ code: 'bad-input' });
  });
});
