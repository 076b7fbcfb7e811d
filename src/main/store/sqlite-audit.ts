import { type AuditEntry, type AuditRow, chainHash, FIRST } from '../audit/chain.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { AuditRecords } from './store.ts';

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

export function sqliteAudit(db: SqliteConnection): AuditRecords {
  const last = (): { seq: number; hash: string } => {
    const row = db.get('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
    return row ? { seq: Number(row.seq), hash: String(row.hash) } : { seq: 0, hash: FIRST };
  };
  const add = (entry: AuditEntry): void => {
    const { seq: before, hash: previous } = last();
    const seq = before + 1;
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
      previous,
      chainHash(seq, previous, entry),
    );
  };
  return {
    append(entries) {
      return db.write(() => {
        for (const entry of entries) add(entry);
        db.run("UPDATE counter SET value = value + ? WHERE name = 'audit'", entries.length);
      });
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
