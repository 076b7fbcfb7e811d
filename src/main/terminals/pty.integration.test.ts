import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../processes/environment.ts';
import { readProcessTable } from '../processes/process-table.ts';
import { type Pty, type PtyExit, startPty } from './pty.ts';

describe.runIf(process.platform !== 'win32')('startPty', () => {
  let cwd: string;
  const started: Pty[] = [];

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'headway-pty-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((pty) => pty.kill()));
    await rm(cwd, { recursive: true, force: true });
  });

  const start = async (
    text: string | readonly [string, ...string[]],
    onData: (bytes: Uint8Array) => void = () => undefined,
  ): Promise<Pty> => {
    const [file, ...args] = typeof text === 'string' ? ['/bin/sh', '-c', text] : text;
    const command = { file: file as string, args };
    const pty = await startPty({ command, cwd, env: childEnvironment(), cols: 80, rows: 24, onData });
    started.push(pty);
    return pty;
  };
  const output = async (
    text: string | readonly [string, ...string[]],
  ): Promise<{ exit: PtyExit; text: string }> => {
    const chunks: Uint8Array[] = [];
    const pty = await start(text, (bytes) => chunks.push(bytes));
    const exit = await pty.exited;
    return { exit, text: Buffer.concat(chunks).toString('utf8') };
  };
  const alive = async (pid: number): Promise<boolean> =>
    (await readProcessTable()).some((row) => row.pid === pid);

  it('delivers the last byte of a program that ends at once, every time', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { exit, text } = await output("printf '%020480d' 0");
      expect(exit).toEqual({ exit: 0 });
      expect(text.length).toBe(20_480);
    }
    for (let round = 0; round < 10; round += 1) {
      expect((await output('seq 1 20000; echo LAST')).text.trimEnd().endsWith('20000\r\nLAST')).toBe(true);
    }
  });

  it.each([
    ['kill -KILL $$', { exit: 137, signal: 'SIGKILL' }],
    ['kill -TERM $$', { exit: 143, signal: 'SIGTERM' }],
    ['kill -SEGV $$', { exit: 139, signal: 'SIGSEGV' }],
    ['exit 3', { exit: 3 }],
    ['exit 0', { exit: 0 }],
  ])('reports the end of `%s` as a shell does', async (text, expected) => {
    expect((await output(text)).exit).toEqual(expected);
  });

  it('says that a program does not exist', async () => {
    const { exit, text } = await output(['/no/such/binary']);
    expect(exit.exit).toBe(127);
    expect(text).toContain('/no/such/binary');
  });

  it('does not wait for a grandchild that keeps the terminal open, and ends it', async () => {
    const { exit, text } = await output('sleep 300 & echo $!; exit 0');
    expect(exit).toEqual({ exit: 0 });
    await started[0]?.kill();
    expect(await alive(Number(text.trim()))).toBe(false);
  });

  it('shows the program nothing of its leader, and the window nothing of the mark', async () => {
    const { text } = await output('echo "$#:$*"; stty size; tty >/dev/null && echo tty');
    expect(text).toBe('0:\r\n24 80\r\ntty\r\n');
  });

  it('passes Ctrl-C to the program alone and reports what the program makes of it', async () => {
    let seen = '';
    const ready = Promise.withResolvers<void>();
    const pty = await start(
      "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done",
      (bytes) => {
        seen += Buffer.from(bytes).toString();
        if (seen.includes('ready\r\n')) ready.resolve();
      },
    );
    await ready.promise;
    pty.write(Buffer.from('\u0003'));
    expect(await pty.exited).toEqual({ exit: 7 });
    expect(seen).toContain('caught');
  });

  it('survives resizes to nothing, with nonsense, in bursts and after the exit', async () => {
    let seen = '';
    const pty = await start("trap 'stty size' WINCH; echo ready; read line; stty size", (bytes) => {
      seen += Buffer.from(bytes).toString();
    });
    for (const [cols, rows] of [
      [0, 24],
      [80, 0],
      [Number.NaN, 24],
      [Number.POSITIVE_INFINITY, 2],
      [-1, -1],
      [1.5, 2],
    ] as const) {
      pty.resize(cols, rows);
    }
    for (let step = 0; step < 200; step += 1) pty.resize(40 + (step % 60), 10 + (step % 20));
    pty.resize(101, 33);
    pty.write(Buffer.from('go\n'));
    expect((await pty.exited).exit).toBe(0);
    pty.resize(50, 20);
    expect(seen.trimEnd().endsWith('33 101')).toBe(true);
  });

  it('ends the whole tree, also what left the group, and says what is left', async () => {
    let seen = '';
    const ready = Promise.withResolvers<void>();
    const pty = await start(
      'trap \'\' TERM HUP; setsid sleep 300 & echo "pid $!"; wait; sleep 300',
      (bytes) => {
        seen += Buffer.from(bytes).toString();
        if (/pid \d+\r\n/.test(seen)) ready.resolve();
      },
    );
    await ready.promise;
    expect(await pty.kill()).toEqual([]);
    expect((await pty.exited).exit).not.toBe(0);
    expect(await alive(Number(/pid (\d+)/.exec(seen)?.[1]))).toBe(false);
    expect(await alive(pty.pid)).toBe(false);
  });
});
