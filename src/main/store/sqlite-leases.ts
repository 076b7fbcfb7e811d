import type { SqliteConnection } from './sqlite-connection.ts';
import type { Lease, Store } from './store.ts';

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
  const holderOf = (name: string): Lease | undefined => {
    const row = db.get('SELECT job_id, attempt, runner_id FROM lock WHERE name = ?', name);
    return (
      row && { jobId: String(row.job_id), attempt: Number(row.attempt), runnerId: String(row.runner_id) }
    );
  };
  return {
    tryAcquire(name, lease) {
      return db.write(() => {
        const holder = holderOf(name);
        if (holder && (same(holder, lease) || leaseHolds(db, holder)))
          return { held: same(holder, lease), by: holder };
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
