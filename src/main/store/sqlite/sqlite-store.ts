import { z } from 'zod';
import {
  type Job,
  repositorySchema,
  type Settings,
  type Slot,
  sessionSchema,
  settingsSchema,
  slotSchema,
} from '../../../shared/domain.ts';
import { proofSchema } from '../../../shared/gate-report.ts';
import { later } from '../../../shared/later.ts';
import {
  EFFECT_KINDS,
  type Effect,
  type EffectRecords,
  type ProofRecords,
  type Runner,
  type SharedDocument,
  type SlotRecords,
  type Store,
} from '../store.ts';
import type { Auditor, StoreChange } from '../store-change.ts';
import { addEntries, sqliteAudit } from './sqlite-audit.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { sqliteJobs } from './sqlite-jobs.ts';
import { leaseHolds, sqliteLocks } from './sqlite-leases.ts';
import { UnreadableRecords } from './unreadable.ts';

type Row = Record<string, unknown>;
/** Writes down a change inside its transaction. */
type Tell = (change: StoreChange) => void;

function sqliteSlots(db: SqliteConnection, tell: Tell, unreadable: UnreadableRecords): SlotRecords {
  const read = (row: Row): Slot | undefined => unreadable.read(`slot ${row.id}`, row.data, slotSchema);
  const save = (slot: Slot): void => {
    db.run('UPDATE slot SET state = ?, data = ? WHERE id = ?', slot.state, JSON.stringify(slot), slot.id);
  };
  const find = (slotId: string): Slot | undefined => {
    const row = db.get('SELECT id, data FROM slot WHERE id = ?', slotId);
    return row && read(row);
  };
  const list = (repoId?: string): Slot[] => {
    const rows = repoId
      ? db.all('SELECT id, data FROM slot WHERE repo_id = ? ORDER BY rowid', repoId)
      : db.all('SELECT id, data FROM slot ORDER BY rowid');
    return rows.flatMap((row) => read(row) ?? []);
  };
  return {
    async list(repoId) {
      return list(repoId);
    },
    insert(slot, wanted) {
      return db.write(() => {
        if (wanted && !wanted(list(slot.repoId))) return false;
        db.run(
          'INSERT INTO slot (id, repo_id, state, data) VALUES (?, ?, ?, ?)',
          slot.id,
          slot.repoId,
          slot.state,
          JSON.stringify(slot),
        );
        tell({ what: 'slot-made', slot });
        return true;
      });
    },
    transition(slotId, from, change, held) {
      return db.write(() => {
        const slot = find(slotId);
        if (!slot || !from.includes(slot.state)) return undefined;
        if (held && held.runnerId !== slot.runnerId) return undefined;
        const saved = { ...slot, ...change };
        save(saved);
        return saved;
      });
    },
    remove(slotId) {
      return db.write(() => {
        const slot = find(slotId);
        db.run('DELETE FROM slot WHERE id = ?', slotId);
        if (slot) tell({ what: 'slot-removed', slot });
      });
    },
  };
}

type Settlement = { key: string; state: 'done' | 'failed'; data: Effect['data']; atMs: number };

function sqliteEffects(
  db: SqliteConnection,
  tell: Tell,
  jobOf: (jobId: string) => Job | undefined,
  unreadable: UnreadableRecords,
): EffectRecords {
  const effectStates = later(() => z.enum(['intended', 'done', 'failed']));
  const effectKinds = later(() => z.enum(EFFECT_KINDS));
  const effectData = later(() => z.record(z.string(), z.unknown()));
  const read = (row: Row): Effect => ({
    key: String(row.key),
    jobId: String(row.job_id),
    kind: effectKinds.parse(row.kind),
    state: effectStates.parse(row.state),
    // Without it the job is looked for on the base all the same: by its trailer.
    data: unreadable.read(`effect ${row.key}`, row.data, effectData) ?? {},
    createdAt: Number(row.created_at),
    ...(row.settled_at === null ? {} : { settledAt: Number(row.settled_at) }),
  });
  const settle = ({ key, state, data, atMs }: Settlement): void => {
    db.run(
      'UPDATE effect SET state = ?, data = ?, settled_at = ? WHERE key = ?',
      state,
      JSON.stringify(data),
      atMs,
      key,
    );
    const repoId = typeof data.repoId === 'string' ? data.repoId : undefined;
    tell({ what: 'settled', key, state, repoId });
  };
  return {
    intend(effect, lease) {
      return db.write(() => {
        if (!leaseHolds(db, lease)) return undefined;
        const written = db.run(
          `INSERT INTO effect (key, job_id, kind, state, data, created_at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET state = excluded.state, data = excluded.data, settled_at = NULL
           WHERE effect.state = 'failed'`,
          effect.key,
          effect.jobId,
          effect.kind,
          effect.state,
          JSON.stringify(effect.data),
          effect.createdAt,
        );
        const job = written > 0 ? jobOf(effect.jobId) : undefined;
        if (job) tell({ what: 'intended', effect, job });
        const row = db.get('SELECT * FROM effect WHERE key = ?', effect.key);
        return row ? read(row) : effect;
      });
    },
    settle(key, state, data, atMs) {
      return db.write(() => settle({ key, state, data, atMs }));
    },
    settleOrphan(key, state, data, atMs) {
      return db.write(() => {
        const orphaned = db.get(
          `SELECT 1 FROM effect WHERE key = ? AND state = 'intended'
           AND NOT EXISTS (SELECT 1 FROM job WHERE id = effect.job_id AND state = 'running')`,
          key,
        );
        if (orphaned) settle({ key, state, data, atMs });
        return orphaned !== undefined;
      });
    },
    async open() {
      return db.all("SELECT * FROM effect WHERE state = 'intended' ORDER BY created_at").map(read);
    },
    async ofJob(jobId) {
      return db.all('SELECT * FROM effect WHERE job_id = ? ORDER BY created_at', jobId).map(read);
    },
  };
}

function sqliteProofs(db: SqliteConnection, unreadable: UnreadableRecords): ProofRecords {
  const read = (row: Row | undefined) =>
    row && unreadable.read(`proof of ${row.repo_id}`, row.data, proofSchema);
  return {
    async get(repoId, key) {
      return read(db.get('SELECT repo_id, data FROM proof WHERE repo_id = ? AND key = ?', repoId, key));
    },
    async latest(repoId) {
      return read(
        db.get('SELECT repo_id, data FROM proof WHERE repo_id = ? ORDER BY at DESC LIMIT 1', repoId),
      );
    },
    put(proof) {
      return db.write(() => {
        db.run(
          'INSERT INTO proof (repo_id, key, at, data) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at, data = excluded.data',
          proof.repoId,
          proof.key,
          proof.at,
          JSON.stringify(proof),
        );
      });
    },
  };
}

function sqliteShared(db: SqliteConnection, name: string, unreadable: UnreadableRecords): SharedDocument {
  const find = (): Row | undefined => db.get('SELECT data FROM shared WHERE name = ?', name);
  const anything = later(() => z.unknown());
  const json = (row: Row): unknown => unreadable.read(`document ${name}`, row.data, anything);
  return {
    async read() {
      const row = find();
      return row && json(row);
    },
    change(change) {
      return db.write(() => {
        const row = find();
        const { document, result } = change(row && json(row));
        const data = JSON.stringify(document);
        if (data !== row?.data) {
          db.run(
            'INSERT INTO shared (name, data) VALUES (?, ?) ON CONFLICT DO UPDATE SET data = excluded.data',
            name,
            data,
          );
        }
        return result;
      });
    },
  };
}

/** Rows that are an id and a JSON document; `change` changes one inside a transaction that runs. */
function documents<T extends { id: string }>(
  db: SqliteConnection,
  table: 'repository' | 'session',
  schema: z.ZodType<T>,
  unreadable: UnreadableRecords,
  changed?: (before: T | undefined, after: T | undefined) => void,
) {
  const read = (row: Row): T | undefined => unreadable.read(`${table} ${row.id}`, row.data, schema);
  const find = (id: string): T | undefined => {
    const row = db.get(`SELECT id, data FROM ${table} WHERE id = ?`, id);
    return row && read(row);
  };
  const save = (document: T): void => {
    const before = changed && find(document.id);
    db.run(
      `INSERT INTO ${table} (id, data) VALUES (?, ?) ON CONFLICT DO UPDATE SET data = excluded.data`,
      document.id,
      JSON.stringify(document),
    );
    changed?.(before, document);
  };
  const change = (id: string, to: (before: T | undefined) => T | undefined): T | undefined => {
    const after = to(find(id));
    if (after) save(after);
    return after;
  };
  const records = {
    async list(): Promise<T[]> {
      return db.all(`SELECT id, data FROM ${table} ORDER BY rowid`).flatMap((row) => read(row) ?? []);
    },
    put(document: T): Promise<void> {
      return db.write(() => save(document));
    },
    change(id: string, to: (before: T | undefined) => T | undefined): Promise<T | undefined> {
      return db.write(() => change(id, to));
    },
    remove(id: string): Promise<void> {
      return db.write(() => {
        const before = changed && find(id);
        db.run(`DELETE FROM ${table} WHERE id = ?`, id);
        changed?.(before, undefined);
      });
    },
  };
  return { records, change };
}

/** Those settings that can be read by themselves; the others have their defaults. */
function readableSettings(data: unknown): Partial<Settings> {
  const read = (): unknown => {
    try {
      return JSON.parse(String(data));
    } catch {
      return undefined;
    }
  };
  const one = settingsSchema.partial();
  const entries = Object.entries(read() ?? {}).filter(
    ([name, value]) => one.safeParse({ [name]: value }).success,
  );
  return one.parse(Object.fromEntries(entries));
}

/**
 * Opens (and migrates) the database file. Throws `unavailable` where the directory cannot be used. What `auditor` says of a
 * change is written in the same transaction.
 */
export function openSqliteStore(file: string, auditor: Auditor = () => []): Store {
  const db = new SqliteConnection(file);
  const tell: Tell = (change) => addEntries(db, auditor(change));
  const unreadable = new UnreadableRecords();
  const repositories = documents(db, 'repository', repositorySchema, unreadable, (before, after) => {
    if (after) tell({ what: 'registered', before, repository: after });
    else if (before) tell({ what: 'unregistered', repository: before });
  });
  const jobs = sqliteJobs(db, tell, (repoId, trustedHash) => {
    repositories.change(repoId, (registered) => registered && { ...registered, trustedHash });
  });
  const storedSettings = (): Partial<Settings> => {
    const row = db.get("SELECT data FROM setting WHERE name = 'settings'");
    if (!row) return {};
    const whole = unreadable.read('settings', row.data, settingsSchema.partial());
    return whole ?? readableSettings(row.data);
  };
  return {
    jobs: jobs.records,
    slots: sqliteSlots(db, tell, unreadable),
    effects: sqliteEffects(db, tell, jobs.find, unreadable),
    proofs: sqliteProofs(db, unreadable),
    audit: sqliteAudit(db),
    repositories: repositories.records,
    sessions: documents(db, 'session', sessionSchema, unreadable).records,
    async seq() {
      return Number(db.get("SELECT value FROM counter WHERE name = 'seq'")?.value);
    },
    changedElsewhere: () => db.changedElsewhere(),
    settings: {
      async get() {
        return storedSettings();
      },
      change(change) {
        return db.write(() => {
          const before = storedSettings();
          const after = change(before);
          db.run(
            "INSERT INTO setting (name, data) VALUES ('settings', ?) ON CONFLICT DO UPDATE SET data = excluded.data",
            JSON.stringify(after),
          );
          tell({ what: 'settings', before, after });
          return after;
        });
      },
    },
    runners: {
      async list() {
        return db.all('SELECT * FROM runner').map(
          (row): Runner => ({
            id: String(row.id),
            pid: Number(row.pid),
            started: String(row.started),
            host: String(row.host),
            beat: Number(row.beat),
            heartbeatAt: Number(row.heartbeat_at),
          }),
        );
      },
      put(runner) {
        return db.write(() => {
          db.run(
            `INSERT INTO runner (id, pid, started, host, beat, heartbeat_at) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET beat = excluded.beat, heartbeat_at = excluded.heartbeat_at`,
            runner.id,
            runner.pid,
            runner.started,
            runner.host,
            runner.beat,
            runner.heartbeatAt,
          );
        });
      },
      remove(runnerId) {
        return db.write(() => {
          db.run('DELETE FROM runner WHERE id = ?', runnerId);
        });
      },
    },
    locks: sqliteLocks(db),
    shared: (name) => sqliteShared(db, name, unreadable),
    health: async () => db.health() ?? unreadable.words(file),
    async [Symbol.asyncDispose]() {
      await db.close();
    },
  };
}
