import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settings, Slot } from '../../../shared/domain.ts';
import type { Store } from '../store.ts';
import { queuedJob } from '../testing/queued-job.ts';
import { openSqliteStore } from './sqlite-store.ts';

let dir: string;
let file: string;
let store: Store | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-unreadable-'));
  file = join(dir, 'headway.db');
});
afterEach(async () => {
  await close();
  await rm(dir, { recursive: true, force: true });
});

async function close(): Promise<void> {
  await store?.[Symbol.asyncDispose]();
  store = undefined;
}

function opened(): Store {
  store = openSqliteStore(file);
  return store;
}

/** What something else did to the database. */
async function damage(sql: string): Promise<void> {
  await close();
  const raw = new Database(file);
  raw.exec(sql);
  raw.close();
}

const rules = { giveWay: () => ({ state: 'cancelled' as const }), room: () => undefined };

describe('a job whose record cannot be read', () => {
  const garbage = ["'{\"ticket'", "'[]'", '\'{"ticket":{"id":"a"}}\'', "''"];

  it.each(garbage)('is one bad job, which a person can cancel: %s', async (data) => {
    await opened().jobs.insert([queuedJob('a'), queuedJob('b')]);
    await damage(`UPDATE job SET data = ${data} WHERE id = 'a'`);
    const { jobs } = opened();
    const all = await jobs.changedSince(0);
    expect(all.map(({ id, state }) => `${id} ${state}`)).toEqual(['a held', 'b queued']);
    // Its ticket and its key are free again, and others go on.
    const fresh = queuedJob('c', { key: 'key a', ticket: queuedJob('a').ticket });
    expect((await jobs.submit([fresh], [], rules)).map(({ id }) => id)).toEqual(['c']);
    expect((await jobs.byKey('key a'))?.id).toBe('c');
    expect(await jobs.transition('a', ['held'], { state: 'cancelled' })).toMatchObject({
      state: 'cancelled',
    });
    await close();
    const raw = new Database(file);
    expect(raw.prepare(`SELECT data = ${data} AS same FROM job WHERE id = 'a'`).get()).toEqual({ same: 1 });
    raw.close();
  });

  it('keeps nobody from taking over what a dead runner had', async () => {
    const before = opened();
    await before.jobs.insert([queuedJob('a'), queuedJob('b')]);
    const claim = {
      runnerId: 'r',
      atMs: 1,
      knownRunning: { has: () => true } as unknown as ReadonlySet<string>,
    };
    for (const id of ['a', 'b']) await before.jobs.claim(id, claim);
    await damage(
      "UPDATE job SET data = 'x' WHERE id = 'a'; UPDATE attempt SET data = 'x' WHERE job_id = 'b'",
    );
    const { jobs } = opened();
    await jobs.takeOver(['r'], 2);
    const all = await jobs.changedSince(0);
    expect(all.map(({ id, state }) => `${id} ${state}`).sort()).toEqual(['a held', 'b queued']);
    expect(await jobs.attempts('b')).toMatchObject([{ number: 1, cause: { code: 'unreadable' } }]);
  });

  it('keeps nobody from opening a database from before its tickets were found by an index', async () => {
    await opened().jobs.insert([queuedJob('a'), queuedJob('b')]);
    await damage(
      "DROP INDEX job_ticket; DROP INDEX job_queued; DROP TABLE lock_line; UPDATE job SET data = 'x' WHERE id = 'a'; PRAGMA user_version = 5",
    );
    expect((await opened().jobs.changedSince(0)).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

it('passes over other records that cannot be read, and says which', async () => {
  const slot: Slot = { id: 's', repoId: 'r', path: '/s', state: 'ready', usedAt: 1, updatedAt: 1 };
  const before = opened();
  await before.slots.insert(slot);
  await before.slots.insert({ ...slot, id: 't' });
  await before.settings.change((some) => ({ ...some, maxJobs: 7, maxQueued: 9 }) as Settings);
  await before.shared('drafts').change(() => ({ document: { a: 1 }, result: undefined }));
  await damage(
    "UPDATE slot SET data = '{}' WHERE id = 's'; UPDATE setting SET data = json_set(data, '$.maxQueued', 'many'); UPDATE shared SET data = 'x'",
  );
  const after = opened();
  expect((await after.slots.list()).map(({ id }) => id)).toEqual(['t']);
  expect(await after.settings.get()).toMatchObject({ maxJobs: 7 });
  expect((await after.settings.get()).maxQueued).toBeUndefined();
  expect(await after.shared('drafts').read()).toBeUndefined();
  const health = await after.health();
  for (const what of ['slot s', 'settings', 'document drafts']) expect(health).toContain(what);
});

describe('a database file', () => {
  it('that is empty beside the work of earlier runs is refused', async () => {
    await writeFile(file, '');
    await mkdir(join(dir, 'slots', 'repo'), { recursive: true });
    expect(opened).toThrow(/headway\.db is empty, but .*slots holds what earlier runs left/);
  });

  it('that is empty and alone is a first start', async () => {
    await writeFile(file, '');
    expect(await opened().jobs.changedSince(0)).toEqual([]);
  });

  it('that is no database is named, with the way out', async () => {
    await writeFile(file, 'no database, and longer than the sixteen bytes that SQLite looks at');
    expect(opened).toThrow(/headway\.db is no database that can be read .*move it away/);
  });
});

describe.runIf(process.platform !== 'win32')('the data directory', () => {
  const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

  it('is open to its owner alone, whatever the umask', async () => {
    const home = join(dir, 'new', 'home');
    const store = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'sqlite-store.ts')).href);
    const script = `process.umask(0); const { openSqliteStore } = await import(${store});
      const opened = openSqliteStore(${JSON.stringify(join(home, 'headway.db'))});
      await opened.settings.change(() => ({ maxJobs: 2 })); process.exit(0);`;
    execFileSync(process.execPath, ['--input-type=module', '--no-warnings', '-e', script]);
    expect(await mode(home)).toBe('700');
    for (const suffix of ['', '-wal', '-shm'])
      expect(await mode(join(home, `headway.db${suffix}`))).toBe('600');
  });

  it('of an earlier version is mended at the start', async () => {
    opened();
    await close();
    await chmod(dir, 0o775);
    await chmod(file, 0o664);
    opened();
    expect([await mode(dir), await mode(file)]).toEqual(['700', '600']);
  });

  it.runIf(process.getuid?.() === 0)('of another user is refused by name', async () => {
    execFileSync('chown', ['12345', dir]);
    expect(opened).toThrow(/belongs to another user \(id 12345, you are 0\)/);
  });
});
