import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteConnection } from './sqlite-connection.ts';

const LIMIT = 256 * 1024;

let dir: string;
let file: string;
let db: SqliteConnection;
let other: ChildProcess | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-database-'));
  file = join(dir, 'headway.db');
  db = new SqliteConnection(file, { giveUpMs: 100, walLimitBytes: LIMIT });
});
afterEach(async () => {
  await endOther();
  await db.close();
  await rm(dir, { recursive: true });
});

/** Another process that has the database open, after it has done this; what it does soon is done once others were refused. */
async function otherProcess(...statements: string[]): Promise<number> {
  const script = `const Database = require('better-sqlite3');
    const db = new Database(${JSON.stringify(file)});
    for (const sql of ${JSON.stringify(statements)}) {
      if (sql.endsWith(' soon')) setTimeout(() => db.exec(sql.slice(0, -5)), 200);
      else if (sql.startsWith('SELECT')) db.prepare(sql).all();
      else db.exec(sql);
    }
    process.stdout.write('done');
    setInterval(() => undefined, 1000);`;
  other = spawn(process.execPath, ['-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  return other.pid ?? 0;
}

async function endOther(): Promise<void> {
  if (!other) return;
  const ended = once(other, 'close');
  other.kill('SIGKILL');
  other = undefined;
  await ended;
}

const grow = (): Promise<void> =>
  db.write(() => {
    const data = JSON.stringify('x'.repeat(2 * LIMIT));
    db.run(
      'INSERT INTO setting (name, data) VALUES (?, ?) ON CONFLICT DO UPDATE SET data = excluded.data',
      'a',
      data,
    );
  });
const logBytes = (): number => statSync(`${file}-wal`).size;

describe.runIf(process.platform === 'linux')('a database that another process uses', () => {
  it('is told with that process, and what to do, where it is suspended in the middle of a change', async () => {
    const pid = await otherProcess('BEGIN IMMEDIATE');
    await expect(grow()).rejects.toThrow(`The database is held by process ${pid} for too long.`);
    other?.kill('SIGSTOP');
    await expect
      .poll(() => grow().catch((error: Error) => error.message))
      .toContain(`process ${pid}, which is suspended, for too long. Continue it (kill -CONT ${pid})`);
    await endOther();
    await grow();
  });

  it('says so while a reader keeps its log from being reset, and brings it down when that has ended', async () => {
    const pid = await otherProcess('BEGIN', 'SELECT count(*) FROM job');
    expect(db.health()).toBeUndefined();
    for (let times = 0; times < 3; times += 1) await grow();
    expect(logBytes()).toBeGreaterThan(LIMIT);
    expect(db.health()).toMatch(
      new RegExp(`headway.db-wal has grown to .* because process ${pid} has been reading`),
    );
    await endOther();
    expect(db.health()).toBeUndefined();
    expect(logBytes()).toBeLessThanOrEqual(LIMIT);
  });
});

it('waits for another process that sets a new database up at the same time', async () => {
  file = join(dir, 'new.db');
  await otherProcess('CREATE TABLE its (own)', 'BEGIN IMMEDIATE', 'COMMIT soon');
  await new SqliteConnection(file).close();
});
