import { type AuditEntry, type AuditRow, chainHash, FIRST } from '../audit-chain.ts';
import type { AuditRecords } from '../store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

type Row = Record<string, unknown>;

function readRow(row: Row): AuditRow {
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    who: String(row.who),
    via: String(row.via),
    action: String(row.action),
    ...(row.repo_id === null ? {} : { repoId: String(row.repo_id) }),
    ...(row.job_id === null ? {} : { jobId: String(row.job_id) }),
    subject: String(row.subject),
    text: String(row.text),
    previous: String(row.previous),
    hash: String(row.hash),
  };
}

/** Adds entries inside the transaction that runs. */
export function addEntries(db: SqliteConnection, entries: readonly AuditEntry[]): void {
  if (entries.length === 0) return;
  const row = db.get('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  let last = row ? { seq: Number(row.seq), hash: String(row.hash) } : { seq: 0, hash: FIRST };
  for (const entry of entries) {
    const seq = last.seq + 1;
    const hash = chainHash(seq, last.hash, entry);
    db.run(
      `INSERT INTO audit (seq, at, who, via, action, repo_id, job_id, subject, text, previous, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      entry.at,
      entry.who,
      entry.via,
      entry.action,
      entry.repoId ?? null,
      entry.jobId ?? null,
      entry.subject,
      entry.text,
      last.hash,
      hash,
    );
    last = { seq, hash };
  }
  db.run("UPDATE counter SET value = value + ? WHERE name = 'audit'", entries.length);
}

export function sqliteAudit(db: SqliteConnection): AuditRecords {
  return {
    append(entries) {
      return db.write(() => addEntries(db, entries));
    },
    async list({ repoId, sinceAt } = {}) {
      return db
        .all(
          'SELECT * FROM audit WHERE at >= ? AND (? IS NULL OR repo_id = ?) ORDER BY seq',
          sinceAt ?? 0,
          repoId ?? null,
          repoId ?? null,
        )
        .map(readRow);
    },
    async written() {
      return Number(db.get("SELECT value FROM counter WHERE name = 'audit'")?.value);
    },
  };
}
