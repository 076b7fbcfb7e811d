/** Numbered, forward only. A migration that has shipped is never edited. */
export const MIGRATIONS: readonly { description: string; sql: string }[] = [
  {
    description: 'jobs, attempts, slots, effects and what they need',
    sql: `
      CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO counter VALUES ('seq', 0), ('order', 0);
      CREATE TABLE repository (id TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
      CREATE TABLE setting (name TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
      CREATE TABLE runner (
        id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started TEXT NOT NULL, host TEXT NOT NULL,
        heartbeat_at INTEGER NOT NULL) STRICT;
      CREATE TABLE job (
        id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, key TEXT NOT NULL, place INTEGER NOT NULL, seq INTEGER NOT NULL,
        state TEXT NOT NULL, attempts INTEGER NOT NULL, runner_id TEXT, lease_expires INTEGER,
        data TEXT NOT NULL) STRICT;
      CREATE UNIQUE INDEX job_seq ON job (seq);
      CREATE INDEX job_key ON job (key, place);
      CREATE INDEX job_running ON job (lease_expires) WHERE state = 'running';
      CREATE TABLE attempt (
        job_id TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE, number INTEGER NOT NULL, data TEXT NOT NULL,
        PRIMARY KEY (job_id, number)) STRICT, WITHOUT ROWID;
      CREATE TABLE slot (id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL) STRICT;
      CREATE INDEX slot_repo ON slot (repo_id, state);
      CREATE TABLE session (id TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
      CREATE TABLE effect (
        key TEXT PRIMARY KEY, job_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL,
        created_at INTEGER NOT NULL, settled_at INTEGER) STRICT;
      CREATE INDEX effect_open ON effect (state) WHERE state = 'intended';
      CREATE TABLE lock (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
    `,
  },
  {
    description: 'proofs that a gate can fail',
    sql: `
      CREATE TABLE proof (
        repo_id TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL,
        PRIMARY KEY (repo_id, key)) STRICT, WITHOUT ROWID;
    `,
  },
  {
    description: 'leases and locks end with their attempt, not by a clock',
    sql: `
      ALTER TABLE runner ADD COLUMN beat INTEGER NOT NULL DEFAULT 0;
      DROP INDEX job_running;
      ALTER TABLE job DROP COLUMN lease_expires;
      CREATE INDEX job_running ON job (runner_id) WHERE state = 'running';
      DROP TABLE lock;
      CREATE TABLE lock (
        name TEXT PRIMARY KEY, job_id TEXT NOT NULL, attempt INTEGER NOT NULL, runner_id TEXT NOT NULL) STRICT;
    `,
  },
  {
    description: 'the audit log: who did what, each row chained to the one before',
    sql: `
      INSERT INTO counter VALUES ('audit', 0);
      CREATE TABLE audit (
        seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, via TEXT NOT NULL, action TEXT NOT NULL,
        repo_id TEXT, job_id TEXT, subject TEXT NOT NULL, text TEXT NOT NULL, previous TEXT NOT NULL,
        hash TEXT NOT NULL) STRICT;
      CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
      CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    `,
  },
  {
    description: 'documents that processes change in turn',
    sql: 'CREATE TABLE shared (name TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;',
  },
  {
    description: 'open jobs are found by their ticket',
    sql: `
      CREATE INDEX job_ticket ON job (repo_id, CASE WHEN json_valid(data) THEN json_extract(data, '$.ticket.id') END)
        WHERE state IN ('queued', 'running', 'held');
    `,
  },
  {
    description: 'queued jobs are counted without reading their tickets',
    sql: "CREATE INDEX job_queued ON job (repo_id) WHERE state = 'queued';",
  },
  {
    description: 'who waits for a lock gets it in the order of asking',
    sql: `
      CREATE TABLE lock_line (
        name TEXT NOT NULL, job_id TEXT NOT NULL, attempt INTEGER NOT NULL, runner_id TEXT NOT NULL, place INTEGER NOT NULL,
        PRIMARY KEY (name, job_id)) STRICT, WITHOUT ROWID;
    `,
  },
  {
    description: 'a job whose record is no JSON keeps nobody from the others',
    sql: `
      DROP INDEX job_ticket;
      CREATE INDEX job_ticket ON job (repo_id, CASE WHEN json_valid(data) THEN json_extract(data, '$.ticket.id') END)
        WHERE state IN ('queued', 'running', 'held');
    `,
  },
];
