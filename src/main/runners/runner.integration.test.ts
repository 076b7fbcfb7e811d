import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createRunner } from './runner.ts';

let home: string;
let store: Store;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headway-runner-'));
  store = openSqliteStore(join(home, 'headway.db'));
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const module = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);

/** Registers on the same database, says whom it takes for lost, and lives until its input ends. */
const PROGRAM = (file: string): string => `
  import { openSqliteStore } from ${module('../store/sqlite/sqlite-store.ts')};
  import { createRunner } from ${module('./runner.ts')};
  const store = openSqliteStore(${JSON.stringify(file)});
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const runner = createRunner(store, clock);
  await runner.register();
  console.log(JSON.stringify({ id: runner.id, lost: await runner.lost() }));
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());
`;

async function another(wrapper: readonly string[]) {
  const [command = '', ...rest] = [...wrapper, process.execPath];
  const program = PROGRAM(join(home, 'headway.db'));
  const child = spawn(command, [...rest, '--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  return {
    said: value === undefined ? undefined : (JSON.parse(value) as { id: string; lost: unknown }),
    errors: () => errors.join(''),
    async end() {
      child.stdin.end();
      await closed;
    },
  };
}

it('takes a runner of the same process table for gone as soon as its process is', async () => {
  const own = createRunner(store, clock);
  await own.register();
  const other = await another([]);
  expect(other.said?.lost).toEqual({ gone: [], hung: [] });
  expect((await own.lost()).gone).toEqual([]);
  await other.end();
  expect((await own.lost()).gone).toEqual([other.said?.id]);
});

it('never takes a runner in another name space of process ids for gone by its id, nor the other way round', async (test) => {
  const own = createRunner(store, clock);
  await own.register();
  const other = await another(['unshare', '--pid', '--fork', '--mount-proc']).catch(() => undefined);
  if (!other?.said) {
    await other?.end();
    test.skip(
      `this machine lets nobody make a name space of process ids: ${other?.errors() ?? 'no unshare'}`,
    );
  }
  expect(other?.said?.lost).toEqual({ gone: [], hung: [] });
  expect(await own.lost()).toEqual({ gone: [], hung: [] });
  await other?.end();
  // Its end cannot be seen from here: silence alone tells it.
  expect(await own.lost()).toEqual({ gone: [], hung: [] });
});
