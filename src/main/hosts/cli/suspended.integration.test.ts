import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveHome } from '../../settings/home.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type EngineProcess, startEngineProcess } from '../../testing/start-engine-process.ts';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
const started: EngineProcess[] = [];
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  for (const process of started.splice(0)) {
    process.child.kill('SIGKILL');
    await process.ended;
  }
  await place.close();
});

const TIMING = { heartbeatMs: 200, hungAfterMs: 4_000 };

/** Not in the middle of a change: a process that is suspended then keeps the database from everybody. */
function suspend({ child }: EngineProcess, database: string): void {
  const db = new Database(database, { timeout: 60_000 });
  db.exec('BEGIN IMMEDIATE');
  child.kill('SIGSTOP');
  db.exec('ROLLBACK');
  db.close();
}

describe.runIf(process.platform !== 'win32')('a process that is suspended while its job runs', () => {
  it('is taken over once, and what it brings later is refused by its number', async () => {
    const repo = place.repository('repo', { 'a.txt': 'a\n' });
    const go = join(place.root, 'go');
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['a.txt'] }, [
        { run: `while ! test -e ${go}; do sleep 0.05; done` },
        { append: { path: 'a.txt', content: 'A\n' } },
      ]),
    });
    const home = resolveHome({ HEADWAY_HOME: place.home });
    const start = (): EngineProcess => {
      const process = startEngineProcess({ home, repo, tickets, gate: 'test ! -e BROKEN', timing: TIMING });
      started.push(process);
      return process;
    };
    const first = start();
    await first.said({ type: 'job', stage: 'agent' });
    suspend(first, home.database);
    const second = start();
    await second.said({ type: 'job', state: 'running', stage: 'agent', attempts: 2 });
    writeFileSync(go, '');
    await second.said({ type: 'job', state: 'merged' });
    first.child.kill('SIGCONT');
    await first.said({ type: 'problem', text: /^stale attempt 1 of A / });
    expect(await first.ended).toEqual({ exit: 0, stderr: '' });
    expect(await second.ended).toEqual({ exit: 0, stderr: '' });

    expect(place.git(repo, 'show', 'main:a.txt')).toBe('a\nA');
    expect(place.git(repo, 'rev-list', '--count', 'main')).toBe('2');
    await using store = openSqliteStore(home.database);
    const [job] = await store.jobs.changedSince(0);
    const attempts = await store.jobs.attempts(job?.id ?? '');
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'lost'],
      [2, 'merged'],
    ]);
    expect((await store.slots.list()).filter(({ state }) => state !== 'ready')).toEqual([]);
    expect(await store.runners.list()).toEqual([]);
  });
});
