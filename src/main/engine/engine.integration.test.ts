import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processStarted } from '../processes/process-table.ts';
import { processTable } from '../processes/table-identity.ts';
import { resolveHome } from '../settings/home.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type Engine, openEngine, openStoredEngine } from './engine.ts';

let root: string;
let engine: Engine | undefined;

const home = () => resolveHome({ HEADWAY_HOME: join(root, 'home') });
const runners = async (): Promise<number> => (await engine?.parts.store.runners.list())?.length ?? -1;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-engine-'));
});

afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  rmSync(root, { recursive: true, force: true });
});

test('a stored engine executes nothing before it recovers, and a request waits until it has', async () => {
  engine = await openStoredEngine({ home: home() });
  expect(await runners()).toBe(0);
  const snapshot = await engine.api.handlers['app.snapshot']({}, { kind: 'in-process' });
  expect(snapshot.home).toBe(home().root);
  expect(await runners()).toBe(1);
});

test('it recovers once', async () => {
  engine = await openStoredEngine({ home: home() });
  expect(engine.recover()).toBe(engine.recover());
  await engine.recover();
  expect(await runners()).toBe(1);
});

test('a stored engine that never recovered can be stopped', async () => {
  const stored = await openStoredEngine({ home: home() });
  await stored.stop();
  engine = await openEngine({ home: home() });
  expect(await runners()).toBe(1);
});

test('sessions of a process that is still dying at the start have ended once it is gone', async () => {
  const dying = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const store = openSqliteStore(home().database);
    const started = (await processStarted(dying.pid ?? 0)) ?? '';
    await store.runners.put({
      id: 'dying',
      pid: dying.pid ?? 0,
      started,
      host: processTable(),
      beat: 1,
      heartbeatAt: Date.now(),
    });
    // The test itself stands for a third process, which goes on.
    await store.runners.put({
      id: 'other',
      pid: process.pid,
      started: (await processStarted(process.pid)) ?? '',
      host: processTable(),
      beat: 1,
      heartbeatAt: Date.now(),
    });
    const session = { id: 's-1', kind: 'job', repoId: 'r', title: 't', interactive: false } as const;
    await store.sessions.put({ ...session, state: 'live', runnerId: 'dying', createdAt: 1 });
    await store.sessions.put({ ...session, id: 's-2', state: 'live', runnerId: 'other', createdAt: 1 });
    await store[Symbol.asyncDispose]();

    engine = await openEngine({ home: home(), timing: { heartbeatMs: 20, hungAfterMs: 60_000 } });
    expect((await engine.parts.store.sessions.list()).map(({ state }) => state)).toEqual(['live', 'live']);
    const { bus, hub } = engine.parts;
    const ended = new Promise<void>((resolve) => {
      bus.listen(
        (event) => event.name === 'session.changed' && event.payload.state === 'exited' && resolve(),
      );
    });
    dying.kill('SIGKILL');
    await ended;
    expect(hub.get('s-1')?.state).toBe('exited');
    expect(hub.get('s-2')).toBeUndefined();
  } finally {
    dying.kill('SIGKILL');
  }
});
