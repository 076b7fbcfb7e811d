import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';

let dir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-calls-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    const gone = child.exitCode !== null || child.signalCode !== null;
    if (!gone) await Promise.all([once(child, 'exit'), child.kill('SIGKILL')]);
  }
  await rm(dir, { recursive: true, force: true });
});

const module = (path: string): string => JSON.stringify(join(import.meta.dirname, path));

/** A process that runs `body` with a limiter on the data directory; lines that it prints, each with the machine's time. */
function inProcess(body: string): AsyncIterable<string> {
  const script = `import { openSqliteStore } from ${module('../store/sqlite/sqlite-store.ts')};
    import { CallLimiter } from ${module('./call-limiter.ts')};
    const limiter = new CallLimiter(openSqliteStore(${JSON.stringify(join(dir, 'headway.db'))}).shared('calls'), String(process.pid));
    const say = (what) => console.log(what + ' ' + process.hrtime.bigint() / 1000000n);
    const call = (ms) => limiter.run(async () => { say('start'); await new Promise((r) => setTimeout(r, ms)); say('end'); }, signal);
    const signal = new AbortController().signal;
    ${body}
    say('done');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return createInterface({ input: child.stdout });
}

async function untilDone(lines: AsyncIterable<string>): Promise<{ what: string; atMs: number }[]> {
  const said: { what: string; atMs: number }[] = [];
  for await (const line of lines) {
    const [what = '', atMs] = line.split(' ');
    said.push({ what, atMs: Number(atMs) });
    if (what === 'done') return said;
  }
  throw new Error('it ended early');
}

it('two processes together run no more than two calls at once, with the gap between any two', async () => {
  const body = 'await Promise.all([call(400), call(400), call(400)]);';
  const said = (await Promise.all([inProcess(body), inProcess(body)].map(untilDone))).flat();
  const moves = said.filter(({ what }) => what !== 'done').toSorted((a, b) => a.atMs - b.atMs);
  let running = 0;
  const counts = moves.map(({ what }) => (running += what === 'start' ? 1 : -1));
  expect(Math.max(...counts)).toBe(2);
  const starts = moves.filter(({ what }) => what === 'start').map(({ atMs }) => atMs);
  expect(starts).toHaveLength(6);
  // The turn is taken a moment before the call says that it started.
  expect(starts.at(-1)).toBeGreaterThanOrEqual((starts[0] ?? 0) + 5 * 240);
});

it('what a service asked one process holds in the other, also after that one has died', async () => {
  const [paused] = await untilDone(inProcess("await limiter.pause(1500, signal); say('paused');"));
  children[0]?.kill('SIGKILL');
  const [started] = await untilDone(inProcess('await call(1);'));
  expect((started?.atMs ?? 0) - (paused?.atMs ?? 0)).toBeGreaterThanOrEqual(1400);
});

it('the places of a process that was killed are free once it is known to be gone', async () => {
  const lines = inProcess('await Promise.all([call(3_600_000), call(3_600_000)]);');
  let starts = 0;
  for await (const line of lines) if (line.startsWith('start') && ++starts === 2) break;
  children[0]?.kill('SIGKILL');
  const blocked = `const left = AbortSignal.timeout(600);
    await limiter.run(async () => say('ran'), left).catch(() => say('waits'));`;
  expect((await untilDone(inProcess(blocked)))[0]?.what).toBe('waits');
  const forgets = `await limiter.forget(['${children[0]?.pid}']); await call(1);`;
  expect((await untilDone(inProcess(forgets)))[0]?.what).toBe('start');
});
