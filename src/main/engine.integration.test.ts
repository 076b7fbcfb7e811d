import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Engine, openEngine, openStoredEngine } from './engine.ts';
import { resolveHome } from './home.ts';

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
