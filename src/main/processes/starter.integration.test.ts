import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runShort } from './run.ts';

const env = { PATH: process.env.PATH ?? '' };
const sh = (script: string, more: Partial<Parameters<typeof runShort>[0]> = {}) =>
  runShort({ command: { file: '/bin/sh', args: ['-c', script] }, cwd: '/', env, ...more });

/** Processes below this one that start others for it. */
function starters(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return ppid === parent && command.includes('isOver') ? Number(name) : [];
      } catch {
        return []; // it ended meanwhile
      }
    });
}

async function warmUp(): Promise<void> {
  while (starters(process.pid).length === 0) await sh('true');
  for (let call = 0; call < 20; call += 1) await sh('true');
}

describe.runIf(process.platform === 'linux')('a short program', () => {
  it('ends the same whoever starts it', async () => {
    const results: unknown[] = [];
    for (const round of ['first', 'later']) {
      if (round === 'later') await warmUp();
      const said = await sh('cat; echo err >&2; exit 3', { input: 'in\0\n'.repeat(3) });
      const many = await sh('head -c 3000000 /dev/zero | tr "\\0" x', { captureBytes: 1000 });
      const ended = await sh('kill -TERM $$');
      const missing = await runShort({ command: { file: 'no-such-program', args: [] }, cwd: '/', env });
      const nowhere = await sh('true', { cwd: '/no/such/directory' });
      results.push(
        [said, many, ended, missing, nowhere].map(({ durationMs: _, error: __, ...result }) => result),
      );
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[0]).toMatchObject([
      { status: 'exited', exit: 3, stdout: 'in\0\n'.repeat(3), stderr: 'err\n' },
      { stdout: 'x'.repeat(1000) },
      { exit: 143, signal: 'SIGTERM' },
      { status: 'not-started', exit: 127 },
      { status: 'not-started', exit: 127 },
    ]);
  });

  it('is ended with what it started, when it is cancelled or takes too long', async () => {
    await warmUp();
    const stop = new AbortController();
    const cancelled = sh('sleep 300 & echo up; wait', { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(await cancelled).toMatchObject({ status: 'cancelled', leftovers: [] });
    expect(await sh('sleep 300', { timeoutMs: 50 })).toMatchObject({ status: 'timed-out', leftovers: [] });
  });

  it('counts as killed where the process dies that started it, and the next one is started again', async () => {
    await warmUp();
    const [starter = 0] = starters(process.pid);
    // It ends by itself when nobody reads it any more.
    const running = sh('while echo up; do sleep 0.05; done');
    process.kill(starter, 'SIGKILL');
    expect(await running).toMatchObject({ signal: 'SIGKILL' });
    expect(await sh('echo again')).toMatchObject({ exit: 0, stdout: 'again\n' });
  });

  it('leaves nothing that lives on when its process ends, and keeps that from ending', async () => {
    const url = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'run.ts')).href);
    const script = `const { runShort } = await import(${url});
      const { readFileSync } = await import('node:fs');
      const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
      const call = () => runShort({ command: { file: '/bin/true', args: [] }, cwd: '/', env: {} });
      do await call(); while (children() === ''); // all that is left is the one that starts others
      for (let more = 0; more < 20; more += 1) await call();
      process.stdout.write('done');
      process.stdin.resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const helpers = starters(child.pid ?? 0);
    expect([said.toString(), helpers.length]).toEqual(['done', 1]);
    child.stdin.end(); // all that it waits for
    await once(child, 'exit');
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    while (helpers.some(isAlive)) await new Promise(setImmediate);
  });
});
