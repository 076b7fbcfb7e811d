import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditEntries } from '../audit/audit-log.ts';
import { createTextRedactor } from '../redaction/redaction.ts';
import { DEFAULT_SETTINGS } from '../settings/defaults.ts';
import { findTampering } from '../store/audit-chain.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Effect, Store } from '../store/store.ts';
import { queuedJob } from '../store/testing/queued-job.ts';
import { auditChanges } from './audit-changes.ts';

let dir: string;
let file: string;
let store: Store;
const entries = createAuditEntries({ redact: createTextRedactor([]), user: 'ada', now: () => 5 });
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headway-audit-'));
  file = join(dir, 'headway.db');
  store = openSqliteStore(file, auditChanges(entries));
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const claim = (jobId: string) =>
  store.jobs.claim(jobId, { runnerId: 'one', atMs: 1, knownRunning: new Set(['a', 'b']) });
const rows = async () => (await store.audit.list()).map(({ who, via, action }) => `${action} ${who} ${via}`);
const lease = { jobId: 'a', attempt: 1, runnerId: 'one' };
const data = { repoId: 'r' };
const effect: Effect = { key: 'k', jobId: 'a', kind: 'merge', state: 'intended', data, createdAt: 1 };
const slot = { id: 's', repoId: 'r', path: '/p', state: 'ready', usedAt: 1, updatedAt: 1 } as const;
const repository = { id: 'r', path: '/r', gitDir: '/r/.git', name: 'r', base: 'main', addedAt: 1 };

/** Every kind of change that the log holds, in an order in which each can happen. */
const changes: [what: string, make: () => Promise<unknown>][] = [
  ['repository-added', () => store.repositories.change('r', () => repository)],
  ['submit', () => store.jobs.insert([queuedJob('a')])],
  ['hold', () => store.jobs.transition('a', ['queued'], { state: 'held' }, 'hold')],
  ['release', () => store.jobs.transition('a', ['held'], { state: 'queued' }, 'release')],
  ['claim', () => claim('a')],
  ['merge', () => store.effects.intend(effect, lease)],
  ['effect', () => store.effects.settle('k', 'done', data, 2)],
  ['attempt-merged', () => store.jobs.update(lease, { state: 'merged' }, { outcome: 'merged', atMs: 2 })],
  ['slot-made', () => store.slots.insert(slot)],
  ['slot-removed', () => store.slots.remove('s')],
  ['setting', () => store.settings.change(() => ({ ...DEFAULT_SETTINGS, maxJobs: 9 }))],
  ['repository-removed', () => store.repositories.remove('r')],
];

/** All rows but those of the log, whoever reads them. */
function everything(): unknown {
  const db = new Database(file, { readonly: true });
  try {
    const tables = ['job', 'attempt', 'effect', 'slot', 'repository', 'setting', 'counter'];
    return tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
  } finally {
    db.close();
  }
}

describe('a change and its entry in the audit log', () => {
  it('are written by one transaction: where the entry cannot be, nothing is changed', async () => {
    for (const [what, make] of changes) {
      const before = everything();
      const db = new Database(file);
      db.exec(`CREATE TRIGGER no_entry BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no entry'); END`);
      await expect(make(), what).rejects.toThrow('no entry');
      db.exec('DROP TRIGGER no_entry');
      db.close();
      expect(everything(), what).toEqual(before);
      await make();
      expect((await store.audit.list()).at(-1)?.action).toBe(what);
    }
    expect((await store.audit.list()).map(({ action }) => action)).toEqual(changes.map(([what]) => what));
    expect(findTampering(await store.audit.list(), await store.audit.written())).toBeUndefined();
  });

  it('tell of a job once, also where the attempt lost it', async () => {
    await store.jobs.insert([queuedJob('a'), queuedJob('b')]);
    await store.jobs.insert([queuedJob('again', { key: 'key a' })]);
    await claim('a');
    await store.jobs.takeOver(['one'], 2);
    await store.jobs.update(lease, { state: 'merged' }, { outcome: 'merged', atMs: 3 });
    expect(await store.effects.intend(effect, lease)).toBeUndefined();
    expect(await rows()).toEqual([
      'submit ada command line',
      'submit ada command line',
      'claim headway runner',
      'taken-over headway runner',
    ]);
  });

  it('name the door of each who asked, although their changes shared a transaction', async () => {
    await Promise.all([
      entries.through('http', () => store.jobs.insert([queuedJob('a')])),
      store.slots.insert(slot),
      entries.through('window', () => store.jobs.insert([queuedJob('b')])),
    ]);
    expect(await rows()).toEqual(['submit ada http', 'slot-made headway runner', 'submit ada window']);
  });
});
