import type { Lease, Store } from '../store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** A lease holds while its job runs under the same attempt of the same runner; no clock is asked. */
export function leaseHolds(db: SqliteConnection, lease: Lease): boolean {
  return (
    db.get(
      "SELECT 1 FROM job WHERE id = ? AND attempts = ? AND runner_id = ? AND state = 'running'",
      lease.jobId,
      lease.attempt,
      lease.runnerId,
    ) !== undefined
  );
}

const same = (a: Lease, b: Lease): boolean =>
  a.jobId === b.jobId && a.attempt === b.attempt && a.runnerId === b.runnerId;

export function sqliteLocks(db: SqliteConnection): Store['locks'] {
  const leaseOf = (row: Record<string, unknown> | undefined): Lease | undefined =>
    row && { jobId: String(row.job_id), attempt: Number(row.attempt), runnerId: String(row.runner_id) };
  const holderOf = (name: string): Lease | undefined =>
    leaseOf(db.get('SELECT job_id, attempt, runner_id FROM lock WHERE name = ?', name));
  /** Who waits has its place from its first asking, and loses it with its lease. */
  const lineUp = (name: string, { jobId, attempt, runnerId }: Lease): void => {
    db.run(
      `INSERT OR IGNORE INTO lock_line (name, job_id, attempt, runner_id, place)
        SELECT ?, ?, ?, ?, ifnull(max(place), 0) + 1 FROM lock_line WHERE name = ?`,
      ...[name, jobId, attempt, runnerId, name],
    );
  };
  const firstInLine = (name: string): Lease | undefined => {
    db.run(
      `DELETE FROM lock_line WHERE name = ? AND NOT EXISTS (SELECT 1 FROM job WHERE id = job_id
        AND attempts = lock_line.attempt AND job.runner_id = lock_line.runner_id AND state = 'running')`,
      name,
    );
    return leaseOf(
      db.get('SELECT job_id, attempt, runner_id FROM lock_line WHERE name = ? ORDER BY place LIMIT 1', name),
    );
  };
  return {
    tryAcquire(name, lease) {
      return db.write(() => {
        const holder = holderOf(name);
        if (holder && same(holder, lease)) return { held: true, by: holder };
        const first = firstInLine(name);
        const ahead = holder && leaseHolds(db, holder) ? holder : first && !same(first, lease) && first;
        if (ahead) {
          lineUp(name, lease);
          return { held: false, by: ahead };
        }
        db.run('DELETE FROM lock_line WHERE name = ? AND job_id = ?', name, lease.jobId);
        db.run(
          'INSERT OR REPLACE INTO lock (name, job_id, attempt, runner_id) VALUES (?, ?, ?, ?)',
          name,
          lease.jobId,
          lease.attempt,
          lease.runnerId,
        );
        return { held: true, by: lease };
      });
    },
    release(name, lease) {
      return db.write(() => {
        const holder = holderOf(name);
        if (holder && same(holder, lease)) db.run('DELETE FROM lock WHERE name = ?', name);
      });
    },
  };
}
