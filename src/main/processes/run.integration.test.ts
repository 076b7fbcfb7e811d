import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.ts';
import { pidNamespace } from './pid-namespace.ts';
import { processesWithVariables, readProcessTable } from './process-table.ts';
import { run } from './run.ts';

const alive = async (pid: number): Promise<boolean> =>
  (await readProcessTable()).some((row) => row.pid === pid);

describe.runIf(process.platform !== 'win32')('run', () => {
  let cwd: string;
  const env = childEnvironment();
  const shell = (text: string): { file: string; args: string[] } => ({ file: '/bin/sh', args: ['-c', text] });

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'headway-run-'));
  });
  afterEach(async () => {
    await rm(cwd, { recursive: true, force: true });
  });

  it('delivers every byte before it reports the exit', async () => {
    for (let round = 0; round < 20; round += 1) {
      let bytes = 0;
      const result = await run({
        command: shell("printf '%020480d' 0"),
        cwd,
        env,
        onOutput: (chunk) => {
          bytes += chunk.length;
        },
      });
      expect(result.exit).toBe(0);
      expect(bytes).toBe(20_480);
    }
  });

  it.each([
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
    ['kill -SEGV $$', 139],
    ['exit 3', 3],
  ])('maps the end of %s to %i as a shell does', async (text, exit) => {
    expect((await run({ command: shell(text), cwd, env })).exit).toBe(exit);
  });

  it('says that a missing program did not start', async () => {
    const result = await run({ command: { file: '/no/such/binary', args: [] }, cwd, env });
    expect(result).toMatchObject({ status: 'not-started', exit: 127 });
  });

  it('ends a grandchild that keeps the pipe open, and one that left the group', async () => {
    const mark = { LEFT_BEHIND: randomUUID() };
    const result = await run({
      command: shell('(sleep 300 &) ; setsid sleep 301 & exit 0'),
      cwd,
      env: { ...env, ...mark },
    });
    expect(result).toMatchObject({ status: 'exited', exit: 0, leftovers: [] });
    expect(await processesWithVariables(mark)).toEqual([]);
  });

  it('ends the whole tree on a time-out, also children that ignore SIGTERM', async () => {
    let pid = 0;
    const result = await run({
      command: shell("trap '' TERM; sleep 300 & wait"),
      cwd,
      env,
      timeoutMs: 100,
      onStart: (started) => {
        pid = started;
      },
    });
    expect(result).toMatchObject({ status: 'timed-out', leftovers: [] });
    expect(await alive(pid)).toBe(false);
  });

  it('ends at once when cancelled, before or during the run', async () => {
    const early = await run({ command: shell('sleep 300'), cwd, env, signal: AbortSignal.abort() });
    expect(early.status).toBe('cancelled');
    const controller = new AbortController();
    const result = await run({
      command: shell('sleep 300'),
      cwd,
      env,
      signal: controller.signal,
      onStart: () => controller.abort(),
    });
    expect(result.status).toBe('cancelled');
  });

  it('gives the child an allow-listed environment only', async () => {
    const given = childEnvironment(
      { EXTRA: '1' },
      {
        source: {
          PATH: process.env.PATH,
          GIT_DIR: '/x',
          SECRET_TOKEN: 's',
          NODE_OPTIONS: '--inspect',
          ELECTRON_RUN_AS_NODE: '1',
        },
      },
    );
    const result = await run({ command: shell('env'), cwd, env: given });
    expect(result.stdout).toContain('EXTRA=1');
    expect(result.stdout).not.toMatch(/GIT_DIR|SECRET_TOKEN|NODE_OPTIONS|ELECTRON_RUN_AS_NODE/);
  });
});

/** Processes of this machine that were started with the word. */
async function withWord(word: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => lines[index]?.includes(word));
}

describe.runIf((await pidNamespace()) !== undefined)('a process namespace', () => {
  const env = childEnvironment();

  it('ends a daemon that shed its parent, session, environment and directory', async () => {
    // Twice forked, a session of its own, nothing in its environment, at the root, no file of ours open.
    const word = randomUUID();
    const began = join(tmpdir(), word);
    const daemon = `(cd / && setsid env -i /bin/sh -c ': >"$1"; while :; do /bin/sleep 0.01; done' x ${began} </dev/null >/dev/null 2>&1 &)`;
    const result = await run({
      command: { shell: `${daemon}; while ! [ -e ${began} ]; do sleep 0.01; done` },
      cwd: '/',
      env,
    });
    await rm(began);
    expect(result).toMatchObject({ status: 'exited', exit: 0, leftovers: [] });
    expect(await withWord(word)).toEqual([]);
  });

  it('shows a program no process but its own', async () => {
    const result = await run({ command: { shell: 'ls -d /proc/[0-9]*' }, cwd: '/', env });
    expect(result.stdout.trim().split('\n').length).toBeLessThan(8);
  });

  it('hands on input, output, arguments and the exit code as they are', async () => {
    const result = await run({
      command: {
        file: '/bin/sh',
        args: ['-c', 'cat; printf "%s|" "$@"; echo error >&2; exit 7', 'x', 'a b', '', "c'd", '$e'],
      },
      cwd: '/',
      env,
      input: 'input\n',
    });
    expect(result).toMatchObject({ exit: 7, stdout: "input\na b||c'd|$e|", stderr: 'error\n' });
    expect(result.signal).toBeUndefined();
  });

  it('says nothing of its own about a program that a signal ended', async () => {
    const result = await run({ command: { shell: 'kill -KILL $$' }, cwd: '/', env });
    expect(result).toMatchObject({ exit: 137, signal: 'SIGKILL', stdout: '', stderr: '' });
  });
});
