import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStarted } from '../processes/process-table.ts';
import { endProcessesOf, marksOf } from './job-processes.ts';
import { sweepTempDirs, tempDirOf } from './stages/temp-dirs.ts';

let root: string;
let children: ChildProcess[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-lost-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const start = (marks: Record<string, string | undefined>): ChildProcess => {
  const child = spawn('sleep', ['60'], { env: { ...process.env, ...marks }, stdio: 'ignore' });
  children.push(child);
  return child;
};

describe.runIf(process.platform === 'linux')('what a lost runner left running', () => {
  it('is ended, and not what another one that took its job over has started since', async () => {
    const lost = start(marksOf('runner-1', 'j-1'));
    const other = start(marksOf('runner-1', 'j-2'));
    const taken = start(marksOf('runner-2', 'j-1'));
    await Promise.all(children.map((child) => once(child, 'spawn')));
    await endProcessesOf('j-1', 'runner-1');
    const alive = await Promise.all([lost, other, taken].map(({ pid }) => processStarted(pid ?? 0)));
    expect(alive.map((started) => started !== undefined)).toEqual([false, true, true]);
  });
});

describe('temp directories', () => {
  it('of nobody are removed, and not those of a runner that starts just then', async () => {
    mkdirSync(join(tempDirOf(root, 'gone-runner'), 'j-1-1'), { recursive: true });
    const young = tempDirOf(root, 'young-runner');
    const registered: string[] = [];
    await sweepTempDirs(root, async () => {
      const before = [...registered];
      registered.push('young-runner');
      mkdirSync(young);
      return before;
    });
    expect([existsSync(tempDirOf(root, 'gone-runner')), existsSync(young)]).toEqual([false, true]);
  });
});
